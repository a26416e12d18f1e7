// The operators before the first and after the last layer: embedding; final norm, output matrix and cross-entropy.
#pragma once

#include "model/ops/placed_op.hpp"
#include "model/ops/shard_shape.hpp"

namespace orrery {

/// Rows of the vocabulary-parallel embedding, learned positions, dropout, and the sum over tensor-parallel ranks.
[[nodiscard]] OpSequence embeddingForward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape);
[[nodiscard]] OpSequence embeddingBackward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape);

/// Final norm, output matrix, and vocabulary-parallel cross-entropy in float32 with its three small all-reduces
/// (maximum, target logit, sum of exponentials: Megatron-LM's vocab_parallel_cross_entropy).
[[nodiscard]] OpSequence headForward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape);
[[nodiscard]] OpSequence headBackward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape);

/// What multi-token prediction adds in front of its layer: the embedding of the next tokens, two norms, and the
/// projection of both to the hidden size (DeepSeek-V3, arXiv 2412.19437, section 2.2). Its layer and head are the usual
/// ones.
[[nodiscard]] OpSequence mtpForward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape);
[[nodiscard]] OpSequence mtpBackward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape);

}  // namespace orrery
