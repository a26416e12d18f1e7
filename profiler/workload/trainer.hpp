// Runs the training job: steps of pipelined micro-batches, gradient reduction, clipping, Adam.
#pragma once

#include <vector>

#include "profiler/workload/communicator.hpp"
#include "profiler/workload/config.hpp"

namespace orrery::workload {

struct StepResult {
    double loss = 0.0;     ///< mean over all targets of the step, all replicas
    double seconds = 0.0;  ///< wall time of the step on this process
};

/// \pre MPI is initialised with pp x dp processes and the config is valid. The same result on every process.
[[nodiscard]] std::vector<StepResult> train(const JobConfig& config, Communicator& communicator);

}  // namespace orrery::workload
