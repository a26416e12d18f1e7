// The operators after the last micro-batch: gradient norm and Adam, both bound by memory.
#pragma once

#include "model/ops/placed_op.hpp"
#include "model/spec/parallel_plan.hpp"

namespace orrery {

/// Bytes that Adam keeps per parameter beside weight and gradient: two float32 moments, and a float32 master copy where
/// the weights are narrower (Micikevicius et al. 2018, arXiv 1710.03740; ZeRO, arXiv 1910.02054, section 3.1).
[[nodiscard]] Bytes optimizerStateSize(const ParallelPlan& plan);

/// Adam over `parameters` of this rank: state read and written, gradient read and reset, weight written.
[[nodiscard]] PlacedOp optimizerStep(const ParallelPlan& plan, double parameters);

/// Sum of squares of the gradients of this rank: reads them once.
[[nodiscard]] PlacedOp gradientNorm(const ParallelPlan& plan, double parameters);

}  // namespace orrery
