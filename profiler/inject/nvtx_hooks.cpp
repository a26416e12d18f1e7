// The NVTX half of liborrery_inject.so: fills a program's NVTX slots with functions that record.
// A callback copies what it is given and returns; nothing of the program's memory is kept.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <string>

#include "profiler/inject/names.hpp"
#include "profiler/inject/recorder.hpp"
#include "profiler/nvtx/abi.hpp"

namespace orrery::inject {
namespace {

using namespace nvtx::abi;

std::uint32_t number(Domain domain) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(domain));
}
std::uint32_t number(String string) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(string));
}
Domain domainHandle(std::uint32_t value) {
    return reinterpret_cast<Domain>(static_cast<std::uintptr_t>(value));
}
String stringHandle(std::uint32_t value) {
    return reinterpret_cast<String>(static_cast<std::uintptr_t>(value));
}

/// UTF-32 to UTF-8 into a caller's buffer; stops at the limit.
std::size_t toUtf8(const wchar_t* wide, char* out, std::size_t limit) {
    std::size_t used = 0;
    for (; wide != nullptr && *wide != L'\0' && used + 4 <= limit; ++wide) {
        const auto c = static_cast<std::uint32_t>(*wide);
        const auto put = [&](std::uint32_t byte) { out[used++] = static_cast<char>(byte); };
        if (c < 0x80) {
            put(c);
        } else if (c < 0x800) {
            put(0xC0 | c >> 6);
            put(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            put(0xE0 | c >> 12);
            put(0x80 | (c >> 6 & 0x3F));
            put(0x80 | (c & 0x3F));
        } else {
            put(0xF0 | (c >> 18 & 0x07));
            put(0x80 | (c >> 12 & 0x3F));
            put(0x80 | (c >> 6 & 0x3F));
            put(0x80 | (c & 0x3F));
        }
    }
    return used;
}

std::string utf8(const wchar_t* wide) {
    std::array<char, kMaxText> buffer{};
    return {buffer.data(), toUtf8(wide, buffer.data(), buffer.size())};
}

std::uint16_t boundedLength(const char* text) {
    return static_cast<std::uint16_t>(text == nullptr ? 0 : strnlen(text, kMaxText));
}

/// Keeps nesting per thread for the values that push and pop return.
thread_local int nesting = 0;

std::uint64_t nextRangeId() {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

// --- events ----------------------------------------------------------------------------------------------------

void emitText(EventKind kind, const char* text, std::uint64_t rangeId = 0) noexcept {
    Event event;
    event.kind = kind;
    event.rangeId = rangeId;
    event.time = monotonicNow();
    event.nameKind = NameKind::inlineText;
    event.textSize = boundedLength(text);
    record(event, text, nullptr);
}

void emitWide(EventKind kind, const wchar_t* wide, std::uint64_t rangeId = 0) noexcept {
    std::array<char, kMaxText> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    Event event;
    event.kind = kind;
    event.rangeId = rangeId;
    event.time = monotonicNow();
    event.nameKind = NameKind::inlineText;
    event.textSize = static_cast<std::uint16_t>(toUtf8(wide, buffer.data(), buffer.size()));
    record(event, buffer.data(), nullptr);
}

void emitEnd(EventKind kind, Domain domain, std::uint64_t rangeId = 0) noexcept {
    Event event;
    event.kind = kind;
    event.domain = number(domain);
    event.rangeId = rangeId;
    event.time = monotonicNow();
    record(event, nullptr, nullptr);
}

void emitAttributes(EventKind kind, Domain domain, const EventAttributes* attributes,
                    std::uint64_t rangeId = 0) noexcept {
    if (attributes == nullptr) return emitText(kind, "", rangeId);
    Event event;
    event.kind = kind;
    event.domain = number(domain);
    event.rangeId = rangeId;
    event.category = attributes->category;
    event.hasColor = attributes->colorType != 0;
    event.color = attributes->color;

    std::array<char, kMaxText> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): only for wide messages
    const char* text = nullptr;
    switch (attributes->messageType) {
        case messageRegistered:
            event.nameKind = NameKind::registered;
            event.name = number(attributes->message.registered);
            break;
        case messageWide:
            event.nameKind = NameKind::inlineText;
            event.textSize = static_cast<std::uint16_t>(toUtf8(attributes->message.wide, buffer.data(), buffer.size()));
            text = buffer.data();
            break;
        case messageAscii:
            event.nameKind = NameKind::inlineText;
            text = attributes->message.ascii;
            event.textSize = boundedLength(text);
            break;
        default:
            break;
    }

    const void* payload = nullptr;
    if (attributes->payloadType == kPayloadExtended) {
        // Several payloads may hang on one event; the first with a schema is the one a profile row holds.
        const auto* data = reinterpret_cast<const PayloadData*>(attributes->payload.address);
        if (data != nullptr && attributes->payloadCount > 0 && data->data != nullptr) {
            event.schemaId = data->schemaId;
            event.payloadSize = static_cast<std::uint16_t>(std::min<std::size_t>(data->size, kMaxPayload + 1));
            payload = data->data;
        }
    } else if (attributes->payloadType >= payloadUint64 && attributes->payloadType <= payloadFloat) {
        event.schemaId = static_cast<std::uint64_t>(attributes->payloadType);
        event.payloadSize = sizeof(attributes->payload);
        payload = &attributes->payload;
    }
    event.time = monotonicNow();
    record(event, text, payload);
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
    emitEnd(EventKind::end, nullptr, id);
}
int onPushEx(const EventAttributes* a) {
    emitAttributes(EventKind::push, nullptr, a);
    return nesting++;
}
int onPushA(const char* text) {
    emitText(EventKind::push, text);
    return nesting++;
}
int onPushW(const wchar_t* text) {
    emitWide(EventKind::push, text);
    return nesting++;
}
int onPop() {
    emitEnd(EventKind::pop, nullptr);
    return nesting > 0 ? --nesting : kNoNesting;
}
void onNameCategoryA(std::uint32_t id, const char* text) {
    Names::instance().nameCategory(0, id, text != nullptr ? text : "");
}
void onNameCategoryW(std::uint32_t id, const wchar_t* text) {
    Names::instance().nameCategory(0, id, utf8(text));
}
void onNameThreadA(std::uint32_t id, const char* text) {
    Names::instance().nameThread(id, text != nullptr ? text : "");
}
void onNameThreadW(std::uint32_t id, const wchar_t* text) {
    Names::instance().nameThread(id, utf8(text));
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
void onDomainEnd(Domain d, RangeId id) {
    emitEnd(EventKind::end, d, id);
}
int onDomainPushEx(Domain d, const EventAttributes* a) {
    emitAttributes(EventKind::push, d, a);
    return nesting++;
}
int onDomainPop(Domain d) {
    emitEnd(EventKind::pop, d);
    return nesting > 0 ? --nesting : kNoNesting;
}
Resource onResourceCreate(Domain, void*) {
    return nullptr;
}
void onResourceDestroy(Resource) {}
void onDomainNameCategoryA(Domain d, std::uint32_t id, const char* text) {
    Names::instance().nameCategory(number(d), id, text != nullptr ? text : "");
}
void onDomainNameCategoryW(Domain d, std::uint32_t id, const wchar_t* text) {
    Names::instance().nameCategory(number(d), id, utf8(text));
}
String onRegisterStringA(Domain d, const char* text) {
    return stringHandle(Names::instance().string(number(d), text != nullptr ? text : ""));
}
String onRegisterStringW(Domain d, const wchar_t* text) {
    return stringHandle(Names::instance().string(number(d), utf8(text)));
}
Domain onDomainCreateA(const char* text) {
    return domainHandle(Names::instance().domain(text != nullptr ? text : ""));
}
Domain onDomainCreateW(const wchar_t* text) {
    return domainHandle(Names::instance().domain(utf8(text)));
}
void onDomainDestroy(Domain) {}  // numbers stay valid: another copy of NVTX may share the domain
void onInitialize(const void*) {}

// --- slots of the payload extension -------------------------------------------------------------------------------

EventAttributes withPayload(const PayloadData* data, std::size_t count) {
    EventAttributes attributes{};
    attributes.version = kVersion;
    attributes.size = sizeof(attributes);
    attributes.messageType = messageAscii;
    attributes.message.ascii = "";
    if (data != nullptr && count > 0) {
        attributes.payloadType = kPayloadExtended;
        attributes.payloadCount = static_cast<std::int32_t>(std::min<std::size_t>(count, 1U << 20U));
        attributes.payload.address = reinterpret_cast<std::uintptr_t>(data);
    }
    return attributes;
}

std::uint64_t onSchemaRegister(Domain d, const SchemaAttributes* attributes) {
    return attributes == nullptr ? 0 : Names::instance().schema(number(d), *attributes);
}
std::uint64_t onEnumRegister(Domain, const void*) {
    static std::atomic<std::uint64_t> next{kDynamicSchemaStart
                                           << 1U};  // enums name numbers; a profile keeps the numbers
    return next.fetch_add(1);
}
void onMarkPayload(Domain d, const PayloadData* data, std::size_t count) {
    const EventAttributes attributes = withPayload(data, count);
    emitAttributes(EventKind::mark, d, &attributes);
}
int onPushPayload(Domain d, const PayloadData* data, std::size_t count) {
    const EventAttributes attributes = withPayload(data, count);
    return onDomainPushEx(d, &attributes);
}
int onPopPayload(Domain d, const PayloadData*, std::size_t) {
    return onDomainPop(d);
}
RangeId onStartPayload(Domain d, const PayloadData* data, std::size_t count) {
    const EventAttributes attributes = withPayload(data, count);
    return onDomainStartEx(d, &attributes);
}
void onEndPayload(Domain d, RangeId id, const PayloadData*, std::size_t) {
    onDomainEnd(d, id);
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
    put(table, count, nameCategoryA, &onNameCategoryA);
    put(table, count, nameCategoryW, &onNameCategoryW);
    put(table, count, nameThreadA, &onNameThreadA);
    put(table, count, nameThreadW, &onNameThreadW);
}

void fillCore2(SlotTable table, unsigned int count) {
    put(table, count, domainMarkEx, &onDomainMarkEx);
    put(table, count, domainRangeStartEx, &onDomainStartEx);
    put(table, count, domainRangeEnd, &onDomainEnd);
    put(table, count, domainRangePushEx, &onDomainPushEx);
    put(table, count, domainRangePop, &onDomainPop);
    put(table, count, domainResourceCreate, &onResourceCreate);
    put(table, count, domainResourceDestroy, &onResourceDestroy);
    put(table, count, domainNameCategoryA, &onDomainNameCategoryA);
    put(table, count, domainNameCategoryW, &onDomainNameCategoryW);
    put(table, count, domainRegisterStringA, &onRegisterStringA);
    put(table, count, domainRegisterStringW, &onRegisterStringW);
    put(table, count, domainCreateA, &onDomainCreateA);
    put(table, count, domainCreateW, &onDomainCreateW);
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
