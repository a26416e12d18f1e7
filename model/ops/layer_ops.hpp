// The operators of one dense transformer layer on one rank, in the order in which they run, with exact work.
// Names are those of docs/annotations.md. The same layer repeats over a stage, so a cost is computed once for all.
#pragma once

#include "model/ops/placed_op.hpp"
#include "model/ops/shard_shape.hpp"

namespace orrery {

/// Forward pass of a layer: norm, attention block, residual, norm, MLP, residual, with the collectives of tensor
/// parallelism. `saved` of each operator is what its backward pass needs.
[[nodiscard]] OpSequence layerForward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape);

/// Backward pass of a layer in reverse order; Pass::backwardWeight marks what zero-bubble schedules move.
/// The gradient of a bias is part of its layer's weight-gradient kernel.
[[nodiscard]] OpSequence layerBackward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape);

/// What the backward pass repeats of the forward pass: nothing, the attention core (Korthikanti et al. 2022, section
/// 5), or the layer.
[[nodiscard]] OpSequence layerRecompute(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape);

}  // namespace orrery
