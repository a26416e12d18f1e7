// Activations that one micro-batch leaves behind for its backward pass, from the operators that save them.
#pragma once

#include "model/ops/placed_op.hpp"
#include "model/ops/shard_shape.hpp"
#include "model/spec/layer_kind.hpp"

namespace orrery {

struct LayerActivations {
    Bytes kept{};     ///< by one layer under the plan's recompute mode
    Bytes whole{};    ///< by one layer that recomputes nothing
    Bytes working{};  ///< held while a layer is recomputed, beside what was kept; 0 without recomputation
};

/// Sum of `saved`. For GPT layers in 16 bit it is Korthikanti et al. 2022 (arXiv 2205.05198), table 2:
/// sbh(34 + 5as/h) without parallelism, sbh(10 + 24/t + 5as/(ht)) with tensor, (sbh/t)(34 + 5as/h) with sequence
/// parallelism; recomputation of the attention core drops the second term, of whole layers leaves 2sbh.
[[nodiscard]] LayerActivations layerActivations(const ModelSpec& model, const ParallelPlan& plan,
                                                const ShardShape& shape, const LayerKind& kind = {});

/// Sum of `saved` over a sequence, without what recomputation of `modules` makes unnecessary.
[[nodiscard]] Bytes savedBytes(const OpSequence& forward, unsigned modules = 0);

}  // namespace orrery
