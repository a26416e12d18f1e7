// Sizes, formats and small operators that all parts of a layer share.
#pragma once

#include <algorithm>
#include <string_view>

#include "model/ops/op_makers.hpp"
#include "model/ops/tensor_comm.hpp"

namespace orrery {

/// One layer of a plan's rank on one micro-batch. Holds references; lives as long as the sequence is made.
struct LayerContext {
    const ModelSpec& model;
    const ParallelPlan& plan;
    const ShardShape& shape;
    Formats formats;
    TensorComm comm;
    double hiddenElements;  ///< of the norms' and residuals' share of the tokens

    LayerContext(const ModelSpec& m, const ParallelPlan& p, const ShardShape& s);

    [[nodiscard]] double elements(std::int64_t columns) const {
        return static_cast<double>(shape.tokens) * static_cast<double>(columns);
    }
    /// Columns of the first matrix of an MLP of `ffn` columns: two halves when it is gated.
    [[nodiscard]] std::int64_t upWidth(std::int64_t ffn) const { return model.gatedMlp ? 2 * ffn : ffn; }
    /// Bytes of an input that a matrix multiplication keeps: in the format it multiplies in, or as stored.
    [[nodiscard]] double operandSize() const { return std::min(formats.computeSize, formats.storageSize); }

    /// Quantises a tensor for multiplications in 8 bits or fewer, once as it is and once transposed for the gradient's
    /// product (Transformer Engine's cast-transpose). Nothing where operands are multiplied as stored.
    void appendCast(OpSequence& out, Pass pass, double tensorElements) const;

    /// A norm over `normed` elements, which keeps its input.
    [[nodiscard]] PlacedOp norm(std::string_view name, Pass pass, double normed) const;
    [[nodiscard]] PlacedOp norm(std::string_view name, Pass pass) const { return norm(name, pass, hiddenElements); }
    [[nodiscard]] PlacedOp residual(Pass pass) const;
    /// Activation function over `outputs` elements of an MLP; keeps its inputs.
    [[nodiscard]] PlacedOp activation(std::string_view name, Pass pass, double outputs) const;

    /// Gradients of input and weight of a linear layer, one after the other.
    void appendLinearBackward(OpSequence& out, std::string_view name, std::int64_t rows, std::int64_t in,
                              std::int64_t columns) const;
    /// The same for a column-parallel layer, whose input is gathered again and whose input gradient is summed.
    void appendColumnBackward(OpSequence& out, std::string_view name, std::int64_t in, std::int64_t columns,
                              std::string_view gather, std::string_view reduce) const;
};

/// The operator with `bytes` more kept for the backward pass.
[[nodiscard]] PlacedOp keeping(PlacedOp op, double bytes);
/// The operator as one that recomputation of `modules` repeats.
[[nodiscard]] PlacedOp repeatedBy(PlacedOp op, unsigned modules);
/// The operator as one whose saved tensors recomputation of `modules` makes unnecessary.
[[nodiscard]] PlacedOp spared(PlacedOp op, unsigned modules);

}  // namespace orrery
