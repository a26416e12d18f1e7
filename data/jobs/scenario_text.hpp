// Specs as the text of a scenario file.
#pragma once

#include <string>

#include "data/jobs/job_description.hpp"

namespace orrery {

/// The cluster of a scenario by catalog names.
struct ClusterChoice {
    std::string gpu;  ///< "H100-SXM": in its usual machine
    int gpus = 1;
};

/// A scenario that readScenario() reads back into the same specs. Without a plan all of it is left to `orrery search`.
[[nodiscard]] std::string scenarioText(const JobDescription& job, const ClusterChoice& cluster);

/// [model] and its sub-tables, and [plan] without what is as by default; each ends in a line feed.
[[nodiscard]] std::string modelText(const ModelSpec& model);
[[nodiscard]] std::string planText(const ParallelPlan& plan);

}  // namespace orrery
