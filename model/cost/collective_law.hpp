// The formula of a fitted collective: from law, group size and bytes to seconds.
#pragma once

#include "model/calibrate/calibration.hpp"
#include "model/cost/kernel_neighbours.hpp"

namespace orrery {

/// Serial hops that the latency of a collective grows with: 2 log2(n) for all-reduce (NCCL's trees), n - 1 for ring
/// all-gather and reduce-scatter and for pairwise all-to-all, 1 for a transfer.
[[nodiscard]] double hopCount(OpClass kind, int ranks);

/// Time of the fastest regime, without correction. \pre the law has a regime.
[[nodiscard]] Seconds regimeTime(const CollectiveLaw& law, int ranks, Bytes bytes);

/// Where a measurement lies: log2 of bytes, ranks and nodes.
[[nodiscard]] ShapePoint collectivePoint(int ranks, int nodes, Bytes bytes);

}  // namespace orrery
