// The operators of the transformer, forward and backward, each a function on matrices and each marked as one range.
// Backward functions add to weight gradients (micro-batches accumulate) and write input gradients.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/nvtx/annotate.hpp"
#include "profiler/workload/matrix.hpp"
#include "profiler/workload/parameter.hpp"

namespace orrery::workload {

/// y = x W.
void linearForward(nvtx::Name name, const Matrix& x, const Parameter& weight, Matrix& y);
/// dx = dy W^T, dW += x^T dy: two ranges, as a zero-bubble schedule would split them.
void linearBackward(nvtx::Name name, const Matrix& x, Parameter& weight, const Matrix& dy, Matrix& dx);

/// y = x / rms(x) * gain, row by row (Zhang and Sennrich 2019, arXiv 1910.07467); keeps 1/rms for the backward pass.
void rmsNormForward(nvtx::Name name, const Matrix& x, const Parameter& gain, Matrix& y, std::vector<float>& inverseRms);
void rmsNormBackward(nvtx::Name name, const Matrix& x, Parameter& gain, const std::vector<float>& inverseRms,
                     const Matrix& dy, Matrix& dx);

/// y += x.
void residualAdd(bool backward, const Matrix& x, Matrix& y);

/// out = silu(gate) * up, where gateUp holds both side by side (Shazeer 2020, arXiv 2002.05202).
void swigluForward(const Matrix& gateUp, Matrix& out);
void swigluBackward(const Matrix& gateUp, const Matrix& dOut, Matrix& dGateUp);

/// Rotates pairs of query and key components by position in the document (Su et al. 2021, arXiv 2104.09864), in place;
/// `inverse` rotates back, which is the backward pass.
void rotary(Matrix& qkv, std::span<const std::int64_t> documents, int rotatedHeads, int headDim, bool inverse);

void embeddingForward(std::span<const std::int32_t> tokens, const Parameter& table, Matrix& out);
void embeddingBackward(std::span<const std::int32_t> tokens, Parameter& table, const Matrix& dOut);

/// Sum over targets of -ln softmax(logits)[target], nats; target -1 is skipped. Keeps each row's ln of the softmax's
/// sum.
[[nodiscard]] double crossEntropyForward(const Matrix& logits, std::span<const std::int32_t> targets,
                                         std::vector<float>& logSums);
/// `logits` become the gradient of the loss x scale.
void crossEntropyBackward(Matrix& logits, std::span<const std::int32_t> targets, const std::vector<float>& logSums,
                          float scale);

}  // namespace orrery::workload
