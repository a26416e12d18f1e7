// The NVTX half of liborrery_inject.so: fills a program's NVTX slots with functions that record.
// The program calls them as C functions: no exception may leave.
#include <atomic>
#include <string>

#include "profiler/inject/names.hpp"
#include "profiler/inject/nvtx_events.hpp"
#include "profiler/inject/record.hpp"
#include "profiler/inject/text.hpp"
#include "profiler/nvtx/abi.hpp"

namespace orrery::inject {
namespace {

using namespace nvtx::abi;

Domain domainHandle(std::uint32_t value) {
    return reinterpret_cast<Domain>(static_cast<std::uintptr_t>(value));
}
String stringHandle(std::uint32_t value) {
    return reinterpret_cast<String>(static_cast<std::uintptr_t>(value));
}
std::string copy(const char* text) {
    return text != nullptr ? text : "";
}
std::string copy(const wchar_t* text) {
    return toUtf8(text);
}

/// Registration needs memory; when there is none the name is lost and the program goes on.
template <typename Function>
auto guarded(Function function) noexcept -> decltype(function()) {
    try {
        return function();
    } catch (...) {
        return decltype(function())();
    }
}

std::uint64_t nextRangeId() {
    static constinit std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

// --- slots of the core module (no domain) ------------------------------------------------------------------------

void onMarkEx(const EventAttributes* a) {
    emitAttributes(EventKind::mark, nullptr, a);
}
void onMarkA(const char* text) {
    emitText(EventKind::mark, text);
}
void onMarkW(const wchar_t* text) {
    emitWide(EventKind::mark, text);
}
RangeId onStartEx(const EventAttributes* a) {
    const RangeId id = nextRangeId();
    emitAttributes(EventKind::start, nullptr, a, id);
    return id;
}
RangeId onStartA(const char* text) {
    const RangeId id = nextRangeId();
    emitText(EventKind::start, text, id);
    return id;
}
RangeId onStartW(const wchar_t* text) {
    const RangeId id = nextRangeId();
    emitWide(EventKind::start, text, id);
    return id;
}
void onEnd(RangeId id) {
    emitEnd(id);
}
int onPushEx(const EventAttributes* a) {
    return emitAttributes(EventKind::push, nullptr, a);
}
int onPushA(const char* text) {
    return emitText(EventKind::push, text);
}
int onPushW(const wchar_t* text) {
    return emitWide(EventKind::push, text);
}
int onPop() {
    return recordPop(0);
}
template <typename Char>
void onNameCategory(std::uint32_t id, const Char* text) {
    guarded([&] { Names::instance().nameCategory(0, id, copy(text)); });
}
template <typename Char>
void onNameThread(std::uint32_t id, const Char* text) {
    guarded([&] { Names::instance().nameThread(id, copy(text)); });
}

// --- slots of the core2 module (with a domain) --------------------------------------------------------------------

void onDomainMarkEx(Domain d, const EventAttributes* a) {
    emitAttributes(EventKind::mark, d, a);
}
RangeId onDomainStartEx(Domain d, const EventAttributes* a) {
    const RangeId id = nextRangeId();
    emitAttributes(EventKind::start, d, a, id);
    return id;
}
void onDomainEnd(Domain, RangeId id) {
    emitEnd(id);
}
int onDomainPushEx(Domain d, const EventAttributes* a) {
    return emitAttributes(EventKind::push, d, a);
}
int onDomainPop(Domain d) {
    return recordPop(domainNumber(d));
}
Resource onResourceCreate(Domain, void*) {
    return nullptr;  // names of mutexes and the like are of no use to a profile
}
void onResourceDestroy(Resource) {}
template <typename Char>
void onDomainNameCategory(Domain d, std::uint32_t id, const Char* text) {
    guarded([&] { Names::instance().nameCategory(domainNumber(d), id, copy(text)); });
}
template <typename Char>
String onRegisterString(Domain, const Char* text) {
    return guarded([&] { return stringHandle(Names::instance().string(copy(text))); });
}
template <typename Char>
Domain onDomainCreate(const Char* text) {
    return guarded([&] { return domainHandle(Names::instance().domain(copy(text))); });
}
void onDomainDestroy(Domain) {}  // numbers stay valid: another copy of NVTX may share the domain
void onInitialize(const void*) {}

// --- slots of the payload extension -------------------------------------------------------------------------------

std::uint64_t onSchemaRegister(Domain d, const SchemaAttributes* attributes) {
    if (attributes == nullptr) return 0;
    return guarded([&] { return Names::instance().schema(domainNumber(d), *attributes); });
}
std::uint64_t onEnumRegister(Domain, const void*) {
    // Enumerations name numbers; a profile keeps the numbers. Ids far from those of schemas.
    static constinit std::atomic<std::uint64_t> next{kDynamicSchemaStart << 1U};
    return next.fetch_add(1);
}
void onMarkPayload(Domain d, const PayloadData* data, std::size_t count) {
    emitPayload(EventKind::mark, d, data, count);
}
int onPushPayload(Domain d, const PayloadData* data, std::size_t count) {
    return emitPayload(EventKind::push, d, data, count);
}
int onPopPayload(Domain d, const PayloadData*, std::size_t) {
    return recordPop(domainNumber(d));
}
RangeId onStartPayload(Domain d, const PayloadData* data, std::size_t count) {
    const RangeId id = nextRangeId();
    emitPayload(EventKind::start, d, data, count, id);
    return id;
}
void onEndPayload(Domain, RangeId id, const PayloadData*, std::size_t) {
    emitEnd(id);
}
std::uint8_t onDomainIsEnabled(Domain) {
    return 1;
}

template <typename Function>
void put(SlotTable table, unsigned int count, std::uint32_t slot, Function* function) {
    if (slot < count && table[slot] != nullptr) *table[slot] = reinterpret_cast<AnyFunction>(function);
}

void fillCore(SlotTable table, unsigned int count) {
    put(table, count, markEx, &onMarkEx);
    put(table, count, markA, &onMarkA);
    put(table, count, markW, &onMarkW);
    put(table, count, rangeStartEx, &onStartEx);
    put(table, count, rangeStartA, &onStartA);
    put(table, count, rangeStartW, &onStartW);
    put(table, count, rangeEnd, &onEnd);
    put(table, count, rangePushEx, &onPushEx);
    put(table, count, rangePushA, &onPushA);
    put(table, count, rangePushW, &onPushW);
    put(table, count, rangePop, &onPop);
    put(table, count, nameCategoryA, &onNameCategory<char>);
    put(table, count, nameCategoryW, &onNameCategory<wchar_t>);
    put(table, count, nameThreadA, &onNameThread<char>);
    put(table, count, nameThreadW, &onNameThread<wchar_t>);
}

void fillCore2(SlotTable table, unsigned int count) {
    put(table, count, domainMarkEx, &onDomainMarkEx);
    put(table, count, domainRangeStartEx, &onDomainStartEx);
    put(table, count, domainRangeEnd, &onDomainEnd);
    put(table, count, domainRangePushEx, &onDomainPushEx);
    put(table, count, domainRangePop, &onDomainPop);
    put(table, count, domainResourceCreate, &onResourceCreate);
    put(table, count, domainResourceDestroy, &onResourceDestroy);
    put(table, count, domainNameCategoryA, &onDomainNameCategory<char>);
    put(table, count, domainNameCategoryW, &onDomainNameCategory<wchar_t>);
    put(table, count, domainRegisterStringA, &onRegisterString<char>);
    put(table, count, domainRegisterStringW, &onRegisterString<wchar_t>);
    put(table, count, domainCreateA, &onDomainCreate<char>);
    put(table, count, domainCreateW, &onDomainCreate<wchar_t>);
    put(table, count, domainDestroy, &onDomainDestroy);
    put(table, count, nvtx::abi::initialize, &onInitialize);
}

template <typename Function>
void putExtension(ExtensionSegment& segment, std::uint32_t slot, Function* function) {
    if (slot < segment.slotCount) segment.slots[slot] = reinterpret_cast<std::intptr_t>(function);
}

}  // namespace
}  // namespace orrery::inject

#define ORRERY_EXPORT extern "C" __attribute__((visibility("default")))

/// Entry point that every copy of NVTX in a process calls once. Returns 1 when ranges will be recorded.
ORRERY_EXPORT int InitializeInjectionNvtx2(orrery::nvtx::abi::GetExportTable getExportTable) {
    using namespace orrery::nvtx::abi;
    if (getExportTable == nullptr) return 0;
    const auto* callbacks = static_cast<const CallbacksTable*>(getExportTable(exportCallbacks));
    if (callbacks == nullptr || callbacks->structSize < sizeof(CallbacksTable)) return 0;
    SlotTable table = nullptr;
    unsigned int count = 0;
    if (callbacks->moduleSlots(moduleCore, &table, &count) == 0) return 0;
    orrery::inject::fillCore(table, count);
    if (callbacks->moduleSlots(moduleCore2, &table, &count) != 0) orrery::inject::fillCore2(table, count);
    return 1;
}

/// Entry point of NVTX extensions; only payloads are recorded, other modules are declined.
ORRERY_EXPORT int InitializeInjectionNvtxExtension(orrery::nvtx::abi::ExtensionModule* module) {
    using namespace orrery::nvtx::abi;
    using namespace orrery::inject;
    if (module == nullptr || module->moduleId != kPayloadModule || module->segmentCount == 0 ||
        module->segments == nullptr) {
        return 0;
    }
    ExtensionSegment& segment = module->segments[0];
    putExtension(segment, schemaRegister, &onSchemaRegister);
    putExtension(segment, enumRegister, &onEnumRegister);
    putExtension(segment, markPayload, &onMarkPayload);
    putExtension(segment, rangePushPayload, &onPushPayload);
    putExtension(segment, rangePopPayload, &onPopPayload);
    putExtension(segment, rangeStartPayload, &onStartPayload);
    putExtension(segment, rangeEndPayload, &onEndPayload);
    putExtension(segment, domainIsEnabled, &onDomainIsEnabled);
    return 1;
}
