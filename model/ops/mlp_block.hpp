// The feed-forward half of a layer: a dense MLP, or a mixture of experts.
#pragma once

#include "model/ops/layer_context.hpp"

namespace orrery {

/// Names of an MLP's parts, so that the dense one and the shared experts can be told apart (docs/annotations.md).
struct MlpNames {
    std::string_view up, gather, act, down, downReduce, downGather, upReduce;
};
[[nodiscard]] MlpNames denseMlpNames(const ModelSpec& model);

/// Up-projection, activation, down-projection with the collectives of tensor parallelism, `ffn` columns a rank.
/// `modules` are those of selective recomputation that repeat it.
void appendMlpForward(OpSequence& out, const LayerContext& c, const MlpNames& names, std::int64_t ffn,
                      unsigned modules);
void appendMlpBackward(OpSequence& out, const LayerContext& c, const MlpNames& names, std::int64_t ffn);

/// Router, permutation, exchange over expert-parallel ranks, grouped matrix multiplications, and the way back; shared
/// experts beside (Shazeer et al. 2017; DeepSeekMoE, arXiv 2401.06066; Megatron-Core's dispatcher, arXiv 2603.07685).
void appendExpertsForward(OpSequence& out, const LayerContext& c);
void appendExpertsBackward(OpSequence& out, const LayerContext& c);

}  // namespace orrery
