#include "profiler/inject/names.hpp"

#include <new>

namespace orrery::inject {

Names& Names::instance() {
    // In static storage, not on the heap, so that fork handlers can reach its mutex even when memory has run out.
    alignas(Names) static unsigned char storage[sizeof(Names)];
    static auto* names = new (storage) Names;  // never destroyed on purpose, see the class comment
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

std::uint32_t Names::string(std::string text) {
    const std::scoped_lock lock(mutex_);
    strings_.push_back(std::move(text));
    return static_cast<std::uint32_t>(strings_.size());
}

void Names::nameCategory(std::uint32_t domain, std::uint32_t category, std::string text) {
    const std::scoped_lock lock(mutex_);
    categories_[{domain, category}] = std::move(text);
}

void Names::nameThread(std::uint32_t thread, std::string text) {
    const std::scoped_lock lock(mutex_);
    newThreads_.emplace_back(thread, std::move(text));
}

std::uint64_t Names::schema(std::uint32_t domain, const nvtx::abi::SchemaAttributes& attributes) {
    PayloadSchema schema = readSchema(attributes);
    const bool chosen = (attributes.fields & nvtx::abi::schemaHasId) != 0 &&
                        attributes.id >= nvtx::abi::kStaticSchemaStart &&
                        attributes.id < nvtx::abi::kDynamicSchemaStart;
    const std::scoped_lock lock(mutex_);
    if (chosen) {
        programsSchemas_[{domain, attributes.id}] = std::move(schema);
        return attributes.id;
    }
    ourSchemas_.emplace(nextSchema_, std::move(schema));
    return nextSchema_++;
}

std::string Names::domainName(std::uint32_t domain) {
    const std::scoped_lock lock(mutex_);
    return domain == 0 || domain > domains_.size() ? std::string{} : domains_[domain - 1];
}

std::string Names::stringText(std::uint64_t string) {
    const std::scoped_lock lock(mutex_);
    return string == 0 || string > strings_.size() ? std::string{} : strings_[string - 1];
}

std::string Names::categoryName(std::uint32_t domain, std::uint32_t category) {
    const std::scoped_lock lock(mutex_);
    const auto found = categories_.find({domain, category});
    return found == categories_.end() ? "category " + std::to_string(category) : found->second;
}

std::optional<PayloadSchema> Names::schemaOf(std::uint32_t domain, std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = ourSchemas_.find(id); found != ourSchemas_.end()) return found->second;
    if (const auto found = programsSchemas_.find({domain, id}); found != programsSchemas_.end()) return found->second;
    return std::nullopt;
}

std::vector<std::pair<std::uint32_t, std::string>> Names::takeThreadNames() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(newThreads_, {});
}

}  // namespace orrery::inject
