// Activations that one micro-batch leaves behind for its backward pass, from the operators that save them.
#pragma once

#include "model/ops/placed_op.hpp"
#include "model/ops/shard_shape.hpp"

namespace orrery {

struct ActivationBytes {
    Bytes layer{};      ///< one layer, as kept by the plan's recompute mode
    Bytes embedding{};  ///< the first stage's extra
    Bytes head{};       ///< the last stage's extra: final norm, output layer's input, float32 logits
    Bytes working{};    ///< held while a layer is recomputed, beside what was kept; 0 without recomputation
};

/// Sum of `saved`. For GPT layers in 16 bit it is Korthikanti et al. 2022 (arXiv 2205.05198), table 2:
/// sbh(34 + 5as/h) without parallelism, sbh(10 + 24/t + 5as/(ht)) with tensor, (sbh/t)(34 + 5as/h) with sequence
/// parallelism; recomputation of the attention core drops the second term, of whole layers leaves 2sbh.
[[nodiscard]] ActivationBytes activationBytes(const ModelSpec& model, const ParallelPlan& plan,
                                              const ShardShape& shape);

/// Sum of `saved` over a sequence, without the attention core when `withoutCore`.
[[nodiscard]] Bytes savedBytes(const OpSequence& forward, bool withoutCore);

}  // namespace orrery
