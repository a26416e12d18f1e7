#include "profiler/inject/names.hpp"

#include <algorithm>

#include "profiler/inject/payload_decoder.hpp"

namespace orrery::inject {
namespace {
std::uint64_t categoryKey(std::uint32_t domain, std::uint32_t category) {
    return static_cast<std::uint64_t>(domain) << 32U | category;
}
std::string staticKey(std::uint32_t domain, std::uint64_t id) {
    return std::to_string(domain) + '/' + std::to_string(id);
}
}  // namespace

Names& Names::instance() {
    static auto* names = new Names;  // leaked on purpose, see the class comment
    return *names;
}

std::uint32_t Names::domain(std::string name) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = domainNumbers_.find(name); found != domainNumbers_.end()) return found->second;
    domains_.push_back(name);
    const auto number = static_cast<std::uint32_t>(domains_.size());
    domainNumbers_.emplace(std::move(name), number);
    return number;
}

std::uint32_t Names::string(std::uint32_t, std::string text) {
    const std::scoped_lock lock(mutex_);
    strings_.push_back(std::move(text));
    return static_cast<std::uint32_t>(strings_.size());
}

void Names::nameCategory(std::uint32_t domain, std::uint32_t category, std::string text) {
    const std::scoped_lock lock(mutex_);
    categories_[categoryKey(domain, category)] = std::move(text);
}

void Names::nameThread(std::uint32_t thread, std::string text) {
    const std::scoped_lock lock(mutex_);
    threads_[thread] = std::move(text);
}

std::uint64_t Names::schema(std::uint32_t domain, const nvtx::abi::SchemaAttributes& attributes) {
    SchemaInfo info;
    info.domain = domain;
    if ((attributes.fields & nvtx::abi::schemaHasName) != 0 && attributes.name != nullptr) info.name = attributes.name;
    const std::size_t count = (attributes.fields & nvtx::abi::schemaHasEntryCount) != 0 ? attributes.entryCount : 0;
    if ((attributes.fields & nvtx::abi::schemaHasEntries) != 0 && attributes.entries != nullptr) {
        std::uint64_t packed = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const nvtx::abi::SchemaEntry& entry = attributes.entries[i];
            SchemaFieldInfo field;
            field.name = entry.name != nullptr ? entry.name : "field" + std::to_string(i);
            field.type = entry.type;
            // An offset of 0 behind the first field means "not given": natural alignment after the previous one.
            const std::uint64_t size = std::max<std::uint64_t>(scalarSize(entry.type), 1);
            field.offset = i > 0 && entry.offset == 0 ? (packed + size - 1) / size * size : entry.offset;
            field.scalar = (entry.flags & nvtx::abi::kEntryIsArrayOrPointer) == 0;
            packed = field.offset + size;
            info.fields.push_back(std::move(field));
        }
    }
    const bool chosen = (attributes.fields & nvtx::abi::schemaHasId) != 0 &&
                        attributes.id >= nvtx::abi::kStaticSchemaStart &&
                        attributes.id < nvtx::abi::kDynamicSchemaStart;
    const std::scoped_lock lock(mutex_);
    if (chosen) {
        staticSchemas_[staticKey(domain, attributes.id)] = std::move(info);
        return attributes.id;
    }
    dynamicSchemas_[nextSchema_] = std::move(info);
    return nextSchema_++;
}

std::string Names::domainName(std::uint32_t domain) {
    const std::scoped_lock lock(mutex_);
    return domain == 0 || domain > domains_.size() ? std::string{} : domains_[domain - 1];
}

std::string Names::stringText(std::uint32_t string) {
    const std::scoped_lock lock(mutex_);
    return string == 0 || string > strings_.size() ? std::string{} : strings_[string - 1];
}

std::string Names::categoryName(std::uint32_t domain, std::uint32_t category) {
    const std::scoped_lock lock(mutex_);
    const auto found = categories_.find(categoryKey(domain, category));
    return found == categories_.end() ? "category " + std::to_string(category) : found->second;
}

std::optional<SchemaInfo> Names::schemaInfo(std::uint32_t domain, std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = dynamicSchemas_.find(id); found != dynamicSchemas_.end()) return found->second;
    if (const auto found = staticSchemas_.find(staticKey(domain, id)); found != staticSchemas_.end())
        return found->second;
    return std::nullopt;
}

std::vector<std::pair<std::uint32_t, std::string>> Names::threadNames() {
    const std::scoped_lock lock(mutex_);
    return {threads_.begin(), threads_.end()};
}

}  // namespace orrery::inject
