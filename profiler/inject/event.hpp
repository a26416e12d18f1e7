// What a callback leaves in its thread's ring: a head, then the message text and the payload bytes.
// Ends of ranges are the commonest events and carry little, so their record is only the first bytes of the head.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::inject {

enum class EventKind : std::uint8_t { push, pop, start, end, mark };
enum class NameKind : std::uint8_t { none, inlineText, registered };

struct Event {
    std::int64_t time = 0;  ///< CLOCK_MONOTONIC ns
    std::uint32_t domain = 0;
    EventKind kind = EventKind::push;
    NameKind nameKind = NameKind::none;
    bool hasColor = false;
    std::uint8_t unused = 0;
    // a pop ends here
    std::uint64_t rangeId = 0;
    // an end ends here
    std::uint64_t schemaId = 0;  ///< of the payload: a registered schema or an EntryType; 0: none
    std::uint32_t category = 0;
    std::uint32_t name = 0;  ///< registered string, when nameKind says so
    std::uint32_t color = 0;
    std::uint16_t textSize = 0, payloadSize = 0;
};

/// How much of an Event a record holds.
[[nodiscard]] constexpr std::size_t headSize(EventKind kind) {
    switch (kind) {
        case EventKind::pop:
            return offsetof(Event, rangeId);
        case EventKind::end:
            return offsetof(Event, schemaId);
        default:
            return sizeof(Event);
    }
}
static_assert(headSize(EventKind::pop) == 16 && headSize(EventKind::end) == 24 && sizeof(Event) == 48);

/// Longest message that is kept, in bytes; the rest is cut.
inline constexpr std::size_t kMaxText = 1024;
/// Largest payload that is kept, in bytes; a larger one is counted as lost, its range is kept.
inline constexpr std::size_t kMaxPayload = 512;

}  // namespace orrery::inject
