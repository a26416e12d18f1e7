// Job configuration of torchtitan.
#pragma once

#include <string>

#include "data/jobs/job_description.hpp"

namespace orrery {

/// [training], [parallelism], [activation_checkpoint] and the like of a job configuration that runs this plan. The
/// model is torchtitan's own choice of flavor and stays out. What it has no key for is a comment.
[[nodiscard]] std::string torchtitanConfig(const JobDescription& job);

}  // namespace orrery
