// Time of a matrix product as the multiprocessors see it: output tiles in waves, the k loop inside each tile, and
// split-k when there are fewer tiles than multiprocessors. The fastest of a few tilings is what a tuned library would
// pick.
#pragma once

#include "model/cost/kernel_law.hpp"

namespace orrery {

/// Compute-bound time of `op` (gemm or grouped gemm) under `law`; the launch is not in it. NVIDIA, "Matrix
/// Multiplication Background User's Guide", sections 3 and 4: tile quantisation, wave quantisation, larger tiles reuse
/// more operands. \pre law.halfTile > 0
[[nodiscard]] Seconds tiledGemmTime(const KernelLaw& law, const Op& op, const DevicePeaks& peaks);

}  // namespace orrery
