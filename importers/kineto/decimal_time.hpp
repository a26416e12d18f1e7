// Kineto's times: microseconds as decimal text, exact to the nanosecond when they are not taken through a double.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::importers {

/// "1365627866520.196" -> 1365627866520196 ns. Digits beyond the third decimal are rounded. Accepts a sign, quotes
/// around the number and an exponent; nothing when the text is no number or does not fit 64-bit nanoseconds.
[[nodiscard]] std::optional<std::int64_t> nanosecondsFromMicroseconds(std::string_view text);

}  // namespace orrery::importers
