// Causal attention inside each document of a packed micro-batch; pairs across documents are never computed.
#pragma once

#include <cstdint>
#include <span>

#include "profiler/workload/config.hpp"
#include "profiler/workload/matrix.hpp"

namespace orrery::workload {

/// What the backward pass needs beside queries, keys and values: the logarithm of each softmax's sum.
struct AttentionSaved {
    Matrix logSum;  ///< [tokens, heads]
};

/// `qkv` is [tokens, (heads + 2 kvHeads) headDim]: queries, keys, values. `out` is [tokens, heads headDim].
/// Works in blocks of rows that stop at the diagonal, so about half of each document's square is computed.
void attentionForward(const TransformerConfig& config, std::span<const std::int64_t> documents, const Matrix& qkv,
                      Matrix& out, AttentionSaved& saved);

/// Recomputes the probabilities block by block from `saved`: five products, as FlashAttention-2 does
/// (Dao 2023, arXiv 2307.08691, algorithm 2). Overwrites dQkv.
void attentionBackward(const TransformerConfig& config, std::span<const std::int64_t> documents, const Matrix& qkv,
                       const Matrix& out, const AttentionSaved& saved, const Matrix& dOut, Matrix& dQkv);

}  // namespace orrery::workload
