// The order in which one stage runs its micro-batches' forward and backward passes.
#pragma once

#include <vector>

#include "profiler/workload/config.hpp"

namespace orrery::workload {

struct PipelineTask {
    bool forward = true;
    int microBatch = 0;
};

/// GPipe (Huang et al. 2019, arXiv 1811.06965): all forwards, then all backwards. 1F1B (Narayanan et al. 2021,
/// arXiv 2104.04473, section 2.2): stages - stage - 1 warm-up forwards, then one forward and one backward in turn.
[[nodiscard]] std::vector<PipelineTask> pipelineOrder(Schedule schedule, int stage, int stages, int microBatches);

}  // namespace orrery::workload
