// Attention between q, k, v and its output: one fused kernel, or scores, softmax, dropout and values one by one.
#pragma once

#include "model/ops/op_makers.hpp"

namespace orrery {

/// Appends the attention core. Fused (FlashAttention, arXiv 2205.14135 and 2307.08691): causal pairs only,
/// 2 matrix products a pair, q, k, v and output moved once. Not fused: full squares of each document, scores written,
/// normalised, dropped and read again (Megatron-LM's core attention).
/// `windowed`: only pairs within the model's sliding window. Context parallelism exchanges heads for tokens
/// (all-to-all), and keys and values around a ring or by a gather.
void appendAttentionForward(OpSequence& out, const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                            bool windowed = false);

/// Fused: 5 products a pair (scores again, and gradients of values, probabilities, queries, keys).
void appendAttentionBackward(OpSequence& out, const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                             bool windowed = false);

}  // namespace orrery
