// Which points no other point beats in both of two things.
#pragma once

#include <cstddef>
#include <vector>

namespace orrery {

struct TimeAndMemory {
    double time = 0.0, memory = 0.0;
};

/// Indices of the points for which no other has less or equal of both and less of one, by rising time. Of equal points
/// the first.
[[nodiscard]] std::vector<std::size_t> paretoFront(const std::vector<TimeAndMemory>& points);

}  // namespace orrery
