// Activations that one micro-batch leaves behind for its backward pass, from the operators that save them.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "model/ops/placed_op.hpp"
#include "model/ops/shard_shape.hpp"
#include "model/spec/layer_kind.hpp"

namespace orrery {

struct LayerActivations {
    Bytes kept{};       ///< by one layer under the plan's recompute mode
    Bytes whole{};      ///< by one layer that recomputes nothing
    Bytes gradients{};  ///< of hidden states and of the largest kept tensor, while its backward pass runs
    Bytes working{};    ///< held during its backward pass beside what was kept: gradients, and what it recomputes
};

/// Sum of `saved`. For GPT layers in 16 bit it is Korthikanti et al. 2022 (arXiv 2205.05198), table 2:
/// sbh(34 + 5as/h) without parallelism, sbh(10 + 24/t + 5as/(ht)) with tensor, (sbh/t)(34 + 5as/h) with sequence
/// parallelism; recomputation of the attention core drops the second term, of whole layers leaves 2sbh.
[[nodiscard]] LayerActivations layerActivations(const ModelSpec& model, const ParallelPlan& plan,
                                                const ShardShape& shape, const LayerKind& kind = {});

/// Sum of `saved` over a sequence, without what recomputation of `modules` makes unnecessary.
[[nodiscard]] Bytes savedBytes(const OpSequence& forward, unsigned modules = 0);

/// Gradients held while the output layer's backward pass runs, beside what `forward` (headForward) saves: that of the
/// logits as stored, unless the loss has put it in their place, and that of the hidden states.
[[nodiscard]] Bytes headGradients(const ParallelPlan& plan, const ShardShape& shape);

/// Rows and columns of a rank's weight matrices.
using WeightShapes = std::set<std::pair<std::int64_t, std::int64_t>>;

/// Adds those whose gradients `backward` computes.
void addWeightShapes(const OpSequence& backward, WeightShapes& shapes);

}  // namespace orrery
