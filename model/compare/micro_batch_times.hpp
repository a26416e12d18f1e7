// How long each rank worked on each micro-batch of a step: where documents or devices are uneven it shows here.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery {

/// A table of ranks by micro-batches; 0 where a rank did not work on a micro-batch.
struct MicroBatchTimes {
    std::vector<int> ranks;
    std::vector<int> stages;  ///< per rank, -1 unknown
    int microBatches = 0;
    std::vector<std::int64_t> time;  ///< ns, [rank position * microBatches + micro-batch]

    [[nodiscard]] std::int64_t at(std::size_t rank, int microBatch) const {
        return time[rank * static_cast<std::size_t>(microBatches) + static_cast<std::size_t>(microBatch)];
    }
    /// The longest micro-batch of a rank over the rank's mean; 1 when all are equal, 0 for a rank without any.
    [[nodiscard]] double imbalance(std::size_t rank) const;
};

/// Forward, backward and recompute tasks of one step (-1: of all steps, added up). Empty when no task says its
/// micro-batch.
[[nodiscard]] MicroBatchTimes microBatchTimes(const Timeline& timeline, int step);

}  // namespace orrery
