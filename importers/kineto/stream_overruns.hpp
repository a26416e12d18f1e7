// Kernels whose duration cannot be: on an in-order stream they run on through most of what follows them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace orrery::importers {

/// Remembers kernels by stream and counts, at the end, those that overrun the start of their successor by more than 1
/// ms and nine tenths of their own length. Deferred timestamps of ROCm make such kernels (TraceLens #669); programmatic
/// dependent launch overlaps by microseconds and is legal.
class StreamOverruns {
  public:
    void add(std::int64_t device, std::int64_t stream, std::int64_t start, std::int64_t duration) {
        spans_[{device, stream}].emplace_back(start, duration);
    }
    [[nodiscard]] std::int64_t count();

  private:
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<std::int64_t, std::int64_t>>> spans_;
};

}  // namespace orrery::importers
