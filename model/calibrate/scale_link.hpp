// What if a link were slower or faster than the one that was measured?
#pragma once

#include <cstddef>

#include "model/calibrate/calibration.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// Multiplies the bandwidth of a link level of the cluster by `factor` > 0, also where the calibration has measured it:
/// bandwidths of collectives inside a node belong to the innermost level, those across nodes to the outermost; measured
/// points move with their law, and latencies stay. \pre level < cluster.links.size()
void scaleLink(ClusterSpec& cluster, Calibration& calibration, std::size_t level, double factor);

}  // namespace orrery
