// The cluster of a published row. Internal to data/published.
#pragma once

#include <string>
#include <vector>

#include "data/published/training_csv.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// Two link levels: the node (or NVLink domain) and the network. \pre gpus is stated.
[[nodiscard]] ClusterSpec clusterOf(const TrainingRow& row, GpuSpec gpu, std::vector<std::string>& assumptions);

}  // namespace orrery
