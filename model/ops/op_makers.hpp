// Small makers of operators with exact work; the sequences of layers are put together from them.
#pragma once

#include <string_view>

#include "model/ops/placed_op.hpp"
#include "model/ops/shard_shape.hpp"

namespace orrery {

/// Formats of a plan and the sizes of their elements, looked up once.
struct Formats {
    DType compute = DType::bf16;   ///< operands of matrix multiplications
    DType storage = DType::bf16;   ///< weights and activations
    DType gradient = DType::fp32;  ///< gradient buffers
    double computeSize = 2, storageSize = 2, gradientSize = 4;
};
[[nodiscard]] Formats formatsOf(const ParallelPlan& plan);

/// C[m,n] = A[m,k] B[k,n], `groups` of them: 2 m n k FLOPs each; bytes count A, B and C once.
[[nodiscard]] PlacedOp gemm(std::string_view name, Pass pass, std::int64_t m, std::int64_t n, std::int64_t k,
                            std::int64_t groups, const Formats& formats);

/// One linear layer per expert: `groups` multiplications of [m,k] by [k,n], run as one kernel.
[[nodiscard]] PlacedOp groupedGemm(std::string_view name, Pass pass, std::int64_t m, std::int64_t n, std::int64_t k,
                                   std::int64_t groups, const Formats& formats);

/// A memory-bound kernel.
[[nodiscard]] PlacedOp memoryOp(std::string_view name, OpClass cls, Pass pass, double bytes, double flops,
                                const Formats& formats);

/// A collective over `group`; `bytes` is the full buffer (nccl-tests).
[[nodiscard]] PlacedOp collectiveOp(std::string_view name, OpClass kind, Pass pass, double bytes, CommGroup group,
                                    Overlap overlap = Overlap::none);

/// The three multiplications of a linear layer y[tokens,out] = x[tokens,in] W[in,out].
[[nodiscard]] PlacedOp linearForward(std::string_view name, std::int64_t tokens, std::int64_t in, std::int64_t out,
                                     const Formats& formats);
[[nodiscard]] PlacedOp linearBackwardInput(std::string_view name, std::int64_t tokens, std::int64_t in,
                                           std::int64_t out, const Formats& formats);
[[nodiscard]] PlacedOp linearBackwardWeight(std::string_view name, std::int64_t tokens, std::int64_t in,
                                            std::int64_t out, const Formats& formats);

}  // namespace orrery
