#include "profiler/inject/nvtx_events.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "profiler/inject/clock_samples.hpp"
#include "profiler/inject/record.hpp"
#include "profiler/inject/text.hpp"

namespace orrery::inject {
namespace {

using namespace nvtx::abi;
using WideBuffer = std::array<char, kMaxText>;

std::uint16_t boundedLength(const char* text) {
    return static_cast<std::uint16_t>(text == nullptr ? 0 : strnlen(text, kMaxText));
}

/// The message into the event; `buffer` holds a wide one. Returns the bytes to copy.
const char* attachMessage(Event& event, const EventAttributes& attributes, WideBuffer& buffer) {
    switch (attributes.messageType) {
        case messageRegistered:
            event.nameKind = NameKind::registered;
            event.name = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(attributes.message.registered));
            return nullptr;
        case messageWide:
            event.nameKind = NameKind::inlineText;
            event.textSize = static_cast<std::uint16_t>(toUtf8(attributes.message.wide, buffer.data(), buffer.size()));
            return buffer.data();
        case messageAscii:
            event.nameKind = NameKind::inlineText;
            event.textSize = boundedLength(attributes.message.ascii);
            return attributes.message.ascii;
        default:
            return nullptr;
    }
}

/// Several payloads may hang on one event; the first is the one that a profile row holds.
const void* attachFirst(Event& event, const PayloadData* data, std::size_t count) {
    if (data == nullptr || count == 0 || data->data == nullptr || data->schemaId == 0) return nullptr;
    event.schemaId = data->schemaId;
    // Too much or of unknown size: recorded as such, see record().
    event.payloadSize = static_cast<std::uint16_t>(std::min<std::size_t>(data->size, kMaxPayload + 1));
    return data->data;
}

/// Types of the plain interface as types of schema entries.
std::uint64_t entryType(std::int32_t payloadType) {
    switch (payloadType) {
        case payloadUint64:
            return entryUint64;
        case payloadInt64:
            return entryInt64;
        case payloadDouble:
            return entryDouble;
        case payloadUint32:
            return entryUint32;
        case payloadInt32:
            return entryInt32;
        case payloadFloat:
            return entryFloat;
        default:
            return 0;
    }
}

const void* attachPayload(Event& event, const EventAttributes& attributes) {
    if (attributes.payloadType == kPayloadExtended) {
        const auto* data = reinterpret_cast<const PayloadData*>(attributes.payload.address);
        return attachFirst(event, data, static_cast<std::size_t>(std::max(attributes.payloadCount, 0)));
    }
    event.schemaId = entryType(attributes.payloadType);
    if (event.schemaId == 0) return nullptr;
    event.payloadSize = sizeof(attributes.payload);
    return &attributes.payload;
}

}  // namespace

std::uint32_t domainNumber(Domain domain) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(domain));
}

int emitText(EventKind kind, const char* text, std::uint64_t rangeId) noexcept {
    Event event;
    event.kind = kind;
    event.rangeId = rangeId;
    event.nameKind = NameKind::inlineText;
    event.textSize = boundedLength(text);
    event.time = monotonicNow();
    return record(event, text, nullptr);
}

int emitWide(EventKind kind, const wchar_t* text, std::uint64_t rangeId) noexcept {
    WideBuffer buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as it is read
    Event event;
    event.kind = kind;
    event.rangeId = rangeId;
    event.nameKind = NameKind::inlineText;
    event.textSize = static_cast<std::uint16_t>(toUtf8(text, buffer.data(), buffer.size()));
    event.time = monotonicNow();
    return record(event, buffer.data(), nullptr);
}

int emitAttributes(EventKind kind, Domain domain, const EventAttributes* attributes, std::uint64_t rangeId) noexcept {
    Event event;
    event.kind = kind;
    event.domain = domainNumber(domain);
    event.rangeId = rangeId;
    WideBuffer buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as it is read
    const char* text = nullptr;
    const void* payload = nullptr;
    if (attributes != nullptr) {
        event.category = attributes->category;
        event.hasColor = attributes->colorType != 0;
        event.color = attributes->color;
        text = attachMessage(event, *attributes, buffer);
        payload = attachPayload(event, *attributes);
    }
    event.time = monotonicNow();
    return record(event, text, payload);
}

int emitPayload(EventKind kind, Domain domain, const PayloadData* data, std::size_t count,
                std::uint64_t rangeId) noexcept {
    Event event;
    event.kind = kind;
    event.domain = domainNumber(domain);
    event.rangeId = rangeId;
    const void* payload = attachFirst(event, data, count);
    event.time = monotonicNow();
    return record(event, nullptr, payload);
}

void emitEnd(std::uint64_t rangeId) noexcept {
    Event event;
    event.kind = EventKind::end;
    event.rangeId = rangeId;
    event.time = monotonicNow();
    record(event, nullptr, nullptr);
}

}  // namespace orrery::inject
