// One operator of a training step with its exact work. What it costs on a device is model/cost; this is arithmetic
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/spec/dtype.hpp"
#include "model/units/quantity.hpp"

namespace orrery {

/// What kind of kernel does the work. The same classes label measured kernels (data/catalog/kernels.toml).
enum class OpClass : std::uint8_t {
    gemm,
    groupedGemm,
    attention,
    norm,
    elementwise,
    embedding,
    crossEntropy,
    optimizer,
    allReduce,
    allGather,
    reduceScatter,
    allToAll,
    broadcast,
    sendRecv,
    copy,
    host,
    other,
};

/// The part of the training step an operator belongs to. For GEMMs the two halves of the backward pass have different
/// shapes (and zero-bubble schedules move the second): backwardInput = dgrad, backwardWeight = wgrad.
enum class Pass : std::uint8_t { forward, backwardInput, backwardWeight, optimizer };

[[nodiscard]] std::string_view name(OpClass cls);
[[nodiscard]] std::optional<OpClass> parseOpClass(std::string_view text);
[[nodiscard]] std::string_view name(Pass pass);
[[nodiscard]] std::optional<Pass> parsePass(std::string_view text);
[[nodiscard]] bool isCollective(OpClass cls);

/// `name` points to a string literal ("qkv", "attention", "mlp_gate_up", ...; docs/annotations.md has the list), so
/// that predicted and measured operators of the same name can be laid side by side.
struct Op {
    OpClass cls = OpClass::other;
    Pass pass = Pass::forward;
    std::string_view name;
    DType dtype = DType::bf16;
    Flops flops{};  ///< executed, a multiply-add counts 2
    Bytes bytes{};  ///< read + written, each operand once

    // gemm: C[m,n] += A[m,k] B[k,n], `groups` of them
    std::int64_t m = 0, n = 0, k = 0, groups = 1;

    // attention: query-key pairs really computed (causal, per document), and the head geometry
    double pairs = 0.0;
    std::int64_t tokens = 0, heads = 0, kvHeads = 0, headDim = 0, valueHeadDim = 0;
    double longestDocument = 0.0;
};

}  // namespace orrery
