// Runs the training job: steps of pipelined micro-batches, gradient reduction, clipping, Adam.
#pragma once

#include <vector>

#include "profiler/workload/batch.hpp"
#include "profiler/workload/communicator.hpp"
#include "profiler/workload/config.hpp"

namespace orrery::workload {

struct StepResult {
    double loss = 0.0;     ///< mean over all targets of the step, all replicas
    double seconds = 0.0;  ///< wall time of the step range on this process
};

/// Warm-up steps, then measured ones. \pre MPI is initialised with pp x dp processes and the config is valid. The same
/// losses on every process.
[[nodiscard]] std::vector<StepResult> train(const JobConfig& config, const Corpus& corpus, Communicator& communicator);

}  // namespace orrery::workload
