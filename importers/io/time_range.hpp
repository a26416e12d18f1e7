// Which times a trace can hold. Files are not trusted: sums of times must not overflow, here or in what reads a profile.
#pragma once

#include <cstdint>

namespace orrery::importers {

/// Times beyond about 63 years are damage, and would overflow once clocks are added.
inline constexpr std::int64_t kLatestTime = 2'000'000'000'000'000'000;
[[nodiscard]] inline bool isTime(std::int64_t ns) {
    return ns >= -kLatestTime && ns <= kLatestTime;
}

}  // namespace orrery::importers
