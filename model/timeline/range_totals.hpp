// What happened in a stretch of a timeline: spans by lane and name, how many and how long.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery {

struct RangeTotal {
    Lane lane = Lane::task;
    std::uint32_t name = 0;            ///< id in Timeline::names
    std::int64_t count = 0;            ///< spans that have a part in the range
    std::int64_t total = 0;            ///< ns of them inside the range
    std::int64_t least = 0, most = 0;  ///< ns of the shortest and longest of these parts

    [[nodiscard]] double mean() const {
        return count == 0 ? 0.0 : static_cast<double>(total) / static_cast<double>(count);
    }
};

/// Totals of all spans that overlap [begin, end), largest total first. Nested spans each count with their own length.
[[nodiscard]] std::vector<RangeTotal> rangeTotals(const Timeline& timeline, std::int64_t begin, std::int64_t end);

}  // namespace orrery
