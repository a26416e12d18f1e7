// Latency and bandwidth of collectives from their measured times, one law a (device, kind, link, within or across
// nodes).
#pragma once

#include <span>
#include <vector>

#include "model/calibrate/calibration.hpp"

namespace orrery {

/// Fits the protocols (regimes) over all group sizes and the correction by measured points. Samples with one rank or no
/// bytes are ignored.
[[nodiscard]] std::vector<CollectiveLaw> fitCollectives(std::span<const CollectiveSample> samples);

}  // namespace orrery
