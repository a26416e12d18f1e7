// What a callback leaves in its thread's ring: a fixed head, then the message text and the payload bytes.
#pragma once

#include <cstdint>

namespace orrery::inject {

enum class EventKind : std::uint8_t { push, pop, start, end, mark };
enum class NameKind : std::uint8_t { none, inlineText, registered };

struct Event {
    std::int64_t time = 0;  ///< CLOCK_MONOTONIC ns
    std::uint64_t rangeId = 0;
    std::uint64_t schemaId = 0;  ///< of the payload, or a kPlain* id; 0: none
    std::uint32_t domain = 0, category = 0;
    std::uint32_t name = 0;  ///< registered string, when nameKind says so
    std::uint32_t color = 0;
    std::uint16_t textSize = 0, payloadSize = 0;
    EventKind kind = EventKind::push;
    NameKind nameKind = NameKind::none;
    bool hasColor = false;
};

/// Longest message that is kept; the rest is cut. Payloads above the limit are counted as dropped.
inline constexpr std::size_t kMaxText = 1024;
inline constexpr std::size_t kMaxPayload = 512;

}  // namespace orrery::inject
