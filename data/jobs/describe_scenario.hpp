// A scenario as a job description, to be written in other programs' words.
#pragma once

#include <string>

#include "data/jobs/job_description.hpp"
#include "model/predict/prediction.hpp"

namespace orrery {

/// `format` says where it comes from. The batch is that of the first replica times dp.
[[nodiscard]] JobDescription describe(const Scenario& scenario, std::string format);

}  // namespace orrery
