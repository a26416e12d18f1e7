#include "profiler/nvtx/annotate.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <cstdlib>

#include <dlfcn.h>

namespace orrery::nvtx {
namespace {

/// The program's side of the interface: slots that a recorder fills with its functions.
class Injection {
  public:
    static const Injection& instance() {
        static const Injection injection;
        return injection;
    }

    template <typename Function>
    [[nodiscard]] static Function core2(abi::Core2Slot slot) {
        return reinterpret_cast<Function>(instance().core2_[slot]);
    }
    template <typename Function>
    [[nodiscard]] static Function extension(abi::ExtensionSlot slot) {
        const std::intptr_t address = instance().extension_[slot];
        return address == 0 || address == abi::kSlotDisabled ? nullptr : reinterpret_cast<Function>(address);
    }
    [[nodiscard]] bool loaded() const { return loaded_; }

  private:
    Injection() {
        const char* path = std::getenv(abi::kInjectionVariable);
        if (path == nullptr || *path == '\0') return;
        void* library = dlopen(path, RTLD_LAZY);
        if (library == nullptr) return;  // as NVTX itself does: a missing recorder never stops a program
        building_ = this;
        if (const auto init = reinterpret_cast<abi::InitializeCore>(dlsym(library, abi::kCoreEntry))) {
            loaded_ = init(&exportTable) != 0;
        }
        if (!loaded_) core2_.fill(nullptr);
        if (const auto init = reinterpret_cast<abi::InitializeExtension>(dlsym(library, abi::kExtensionEntry));
            loaded_ && init != nullptr) {
            abi::ExtensionSegment segment{0, extension_.size(), extension_.data()};
            abi::ExtensionModule module{};
            module.nvtxVersion = abi::kVersion;
            module.structSize = sizeof(module);
            module.moduleId = abi::kPayloadModule;
            module.compatId = 0x0104;
            module.segmentCount = 1;
            module.segments = &segment;
            if (init(&module) == 0) extension_.fill(0);
        }
        building_ = nullptr;
    }

    static int moduleSlots(std::int32_t module, abi::SlotTable* slots, unsigned int* count) {
        // The recorder calls back during construction; the static is not yet there, hence `building_`.
        static std::array<abi::AnyFunction*, abi::coreSlots> coreTable{};
        static std::array<abi::AnyFunction*, abi::core2Slots> core2Table{};
        if (module == abi::moduleCore) {
            for (std::size_t i = 1; i < coreTable.size(); ++i) coreTable[i] = &building_->core_[i];
            *slots = coreTable.data();
            *count = coreTable.size();
            return 1;
        }
        if (module == abi::moduleCore2) {
            for (std::size_t i = 1; i < core2Table.size(); ++i) core2Table[i] = &building_->core2_[i];
            *slots = core2Table.data();
            *count = core2Table.size();
            return 1;
        }
        return 0;
    }

    static const void* exportTable(std::uint32_t id) {
        static const abi::CallbacksTable callbacks{sizeof(abi::CallbacksTable), &moduleSlots};
        static const abi::VersionTable version{sizeof(abi::VersionTable), abi::kVersion, 0, [](std::uint32_t) {}};
        if (id == abi::exportCallbacks) return &callbacks;
        if (id == abi::exportVersion) return &version;
        return nullptr;
    }

    static inline Injection* building_ = nullptr;
    bool loaded_ = false;
    std::array<abi::AnyFunction, abi::coreSlots> core_{};
    std::array<abi::AnyFunction, abi::core2Slots> core2_{};
    std::array<std::intptr_t, abi::extensionSlots> extension_{};
};

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
