#include "profiler/nvtx/annotate.hpp"

#include <bit>
#include <cassert>

#include "profiler/nvtx/injection.hpp"

namespace orrery::nvtx {
namespace {

abi::EventAttributes attributes(Category category, Name name) {
    abi::EventAttributes event{};
    event.version = abi::kVersion;
    event.size = sizeof(event);
    event.category = category.id;
    if (name.handle != nullptr) {
        event.messageType = abi::messageRegistered;
        event.message.registered = name.handle;
    } else {
        event.messageType = abi::messageAscii;
        event.message.ascii = name.text;
    }
    return event;
}

void push(abi::Domain domain, const abi::EventAttributes& event) {
    using Push = int (*)(abi::Domain, const abi::EventAttributes*);
    if (const auto call = Injection::core2<Push>(abi::domainRangePushEx)) call(domain, &event);
}

}  // namespace

Value::Value(double v) : bits(std::bit_cast<std::uint64_t>(v)) {}

bool recording() {
    return Injection::instance().loaded();
}

Domain::Domain(const char* name) {
    using Create = abi::Domain (*)(const char*);
    if (const auto call = Injection::core2<Create>(abi::domainCreateA)) handle_ = call(name);
}

Name Domain::name(const char* text) const {
    using Register = abi::String (*)(abi::Domain, const char*);
    const auto call = Injection::core2<Register>(abi::domainRegisterStringA);
    return {call != nullptr ? call(handle_, text) : nullptr, text};
}

Category Domain::category(std::uint32_t id, const char* text) const {
    using NameCategory = void (*)(abi::Domain, std::uint32_t, const char*);
    if (const auto call = Injection::core2<NameCategory>(abi::domainNameCategoryA)) call(handle_, id, text);
    return {id};
}

Schema Domain::schema(const char* name, std::initializer_list<Field> fields) const {
    using Register = std::uint64_t (*)(abi::Domain, const abi::SchemaAttributes*);
    Schema schema{0, fields.size()};
    const auto call = Injection::extension<Register>(abi::schemaRegister);
    if (call == nullptr) return schema;
    std::vector<abi::SchemaEntry> entries;
    for (const auto& field : fields) {
        abi::SchemaEntry entry{};
        entry.type = field.type == FieldType::int64 ? abi::entryInt64 : abi::entryDouble;
        entry.name = field.name;
        entry.offset = entries.size() * sizeof(std::uint64_t);
        entries.push_back(entry);
    }
    abi::SchemaAttributes description{};
    description.fields =
        abi::schemaHasName | abi::schemaHasType | abi::schemaHasEntries | abi::schemaHasEntryCount | abi::schemaHasSize;
    description.name = name;
    description.type = 1;
    description.entries = entries.data();
    description.entryCount = entries.size();
    description.size = entries.size() * sizeof(std::uint64_t);
    schema.id = call(handle_, &description);
    return schema;
}

void Domain::mark(Category category, Name name) const {
    using Mark = void (*)(abi::Domain, const abi::EventAttributes*);
    if (const auto call = Injection::core2<Mark>(abi::domainMarkEx)) {
        const abi::EventAttributes event = attributes(category, name);
        call(handle_, &event);
    }
}

Range::Range(const Domain& domain, Category category, Name name) : domain_(domain.handle()) {
    if (recording()) push(domain_, attributes(category, name));
}

Range::Range(const Domain& domain, Category category, Name name, Schema schema, std::initializer_list<Value> values)
    : domain_(domain.handle()) {
    if (!recording()) return;
    assert(values.size() == schema.fields);
    abi::EventAttributes event = attributes(category, name);
    const abi::PayloadData payload{schema.id, values.size() * sizeof(Value), values.begin()};
    if (schema.id != 0) {
        event.payloadType = abi::kPayloadExtended;
        event.payloadCount = 1;
        event.payload.address = reinterpret_cast<std::uintptr_t>(&payload);
    }
    push(domain_, event);
}

Range::~Range() {
    using Pop = int (*)(abi::Domain);
    if (const auto call = Injection::core2<Pop>(abi::domainRangePop)) call(domain_);
}

}  // namespace orrery::nvtx
