// Ranks that do the same work as one row: when the first and the last of them begin and end each task.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery {

/// The same task (step, phase, micro-batch, occurrence) on all ranks of a role.
struct BandSpan {
    std::int64_t firstStart = 0, lastStart = 0, firstEnd = 0, lastEnd = 0;  ///< ns
    Phase phase = Phase::other;
    OpClass cls = OpClass::other;
    std::uint32_t slowest = 0;  ///< row in the timeline of the one that takes longest
    int ranks = 0;              ///< that have it
};

struct RoleBand {
    int stage = -1;               ///< the role: ranks of one pipeline stage; -1: ranks without a stage
    std::vector<int> ranks;       ///< ascending
    std::vector<BandSpan> spans;  ///< by firstStart
};

/// Bands of Lane::task, one a stage, in order of stages. Ranks without tasks are in no band.
[[nodiscard]] std::vector<RoleBand> roleBands(const Timeline& timeline);

}  // namespace orrery
