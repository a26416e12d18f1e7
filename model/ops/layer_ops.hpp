// The operators of one layer on one rank, in the order in which they run, with exact work.
// Names are those of docs/annotations.md. The same layer repeats over a stage, so a cost is computed once for all.
#pragma once

#include "model/ops/placed_op.hpp"
#include "model/ops/shard_shape.hpp"
#include "model/spec/layer_kind.hpp"

namespace orrery {

/// Forward pass of a layer: norm, mixer, residual, norm, feed-forward, residual, as far as the kind has them, with the
/// collectives of tensor, context and expert parallelism. `saved` of each operator is what its backward pass needs.
[[nodiscard]] OpSequence layerForward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                                      const LayerKind& kind = {});

/// Backward pass of a layer in reverse order; Pass::backwardWeight marks what zero-bubble schedules move.
/// The gradient of a bias is part of its layer's weight-gradient kernel.
[[nodiscard]] OpSequence layerBackward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                                       const LayerKind& kind = {});

/// What the backward pass repeats of the forward pass: nothing, the plan's modules (by default the attention core,
/// Korthikanti et al. 2022, section 5), or the layer.
[[nodiscard]] OpSequence layerRecompute(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                                        const LayerKind& kind = {});

}  // namespace orrery
