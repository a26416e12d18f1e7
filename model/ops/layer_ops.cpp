#include "model/ops/layer_ops.hpp"

#include <algorithm>

#include "model/ops/attention_ops.hpp"
#include "model/ops/op_makers.hpp"
#include "model/ops/tensor_comm.hpp"

namespace orrery {
namespace {

// Arithmetic of one element: mean square, scale and multiply; with mean and shift for LayerNorm. Memory bounds it.
double normFlops(const ModelSpec& model) {
    return model.norm == NormKind::rmsNorm ? 4.0 : 7.0;
}
constexpr double kNormBackwardFlops = 10.0;
constexpr double kRotaryFlops = 3.0;                             // per element: two multiplications and an addition
constexpr double kGatedFlops = 5.0, kGatedBackwardFlops = 11.0;  // per column: x * sigmoid(x) * gate
constexpr double kPlainFlops = 8.0, kPlainBackwardFlops = 13.0;  // per column: GELU by tanh

/// Sizes and formats that every operator of the layer uses.
struct LayerContext {
    const ModelSpec& model;
    const ParallelPlan& plan;
    const ShardShape& shape;
    Formats formats;
    TensorComm comm;
    double hiddenElements;  ///< of the norms' and residuals' share of the tokens
    std::string_view mlpUp;

    LayerContext(const ModelSpec& m, const ParallelPlan& p, const ShardShape& s)
        : model(m),
          plan(p),
          shape(s),
          formats(formatsOf(p)),
          comm(p, static_cast<double>(s.tokens) * static_cast<double>(s.hidden) * formatsOf(p).storageSize),
          hiddenElements(s.shardTokens * static_cast<double>(s.hidden)),
          mlpUp(m.gatedMlp ? "mlp_gate_up" : "mlp_up") {}

    [[nodiscard]] std::int64_t upWidth() const { return model.gatedMlp ? 2 * shape.ffn : shape.ffn; }
    [[nodiscard]] double elements(std::int64_t columns) const {
        return static_cast<double>(shape.tokens) * static_cast<double>(columns);
    }
    /// Bytes of an input that a matrix multiplication keeps: in the format it multiplies in, or as stored.
    [[nodiscard]] double operandSize() const { return std::min(formats.computeSize, formats.storageSize); }

    /// Quantises a tensor for multiplications in 8 bits or fewer, once as it is and once transposed for the gradient's
    /// product (Transformer Engine's cast-transpose). Nothing where operands are multiplied as stored.
    void appendCast(OpSequence& out, Pass pass, double tensorElements) const {
        if (formats.computeSize >= formats.storageSize) return;
        out.push_back(memoryOp("cast", OpClass::elementwise, pass,
                               (formats.storageSize + 2.0 * formats.computeSize) * tensorElements, tensorElements,
                               formats));
    }
    [[nodiscard]] PlacedOp norm(std::string_view name, Pass pass) const {
        const bool forward = pass == Pass::forward;
        PlacedOp op = memoryOp(name, OpClass::norm, pass, (forward ? 2.0 : 3.0) * hiddenElements * formats.storageSize,
                               (forward ? normFlops(model) : kNormBackwardFlops) * hiddenElements, formats);
        if (forward) op.saved = Bytes(hiddenElements * formats.storageSize);
        return op;
    }
    [[nodiscard]] PlacedOp residual(Pass pass) const {
        const double mask = model.dropout ? hiddenElements : 0.0;  // one byte an element
        PlacedOp op = memoryOp("residual", OpClass::elementwise, pass,
                               3.0 * hiddenElements * formats.storageSize + mask, hiddenElements, formats);
        if (pass == Pass::forward) op.saved = Bytes(mask);
        return op;
    }
    [[nodiscard]] PlacedOp rotary(Pass pass) const {
        const double rotated = elements((shape.heads + shape.kvHeads) * shape.headDim);
        return memoryOp("rotary", OpClass::elementwise, pass, 2.0 * rotated * formats.storageSize,
                        kRotaryFlops * rotated, formats);
    }
    [[nodiscard]] PlacedOp activation(Pass pass) const {
        // Forward reads one or two columns and writes one; backward reads those and a gradient, writes gradients.
        const double columns = pass == Pass::forward ? (model.gatedMlp ? 3.0 : 2.0) : (model.gatedMlp ? 5.0 : 3.0);
        const double outputs = elements(shape.ffn);
        const double gated = pass == Pass::forward ? kGatedFlops : kGatedBackwardFlops;
        const double plain = pass == Pass::forward ? kPlainFlops : kPlainBackwardFlops;
        PlacedOp op = memoryOp("mlp_act", OpClass::elementwise, pass, columns * outputs * formats.storageSize,
                               (model.gatedMlp ? gated : plain) * outputs, formats);
        if (pass == Pass::forward) op.saved = Bytes(elements(upWidth()) * formats.storageSize);
        return op;
    }
};

PlacedOp keeping(PlacedOp op, double bytes) {
    op.saved += Bytes(bytes);
    return op;
}

void appendLinearBackward(OpSequence& out, const LayerContext& c, std::string_view name, std::int64_t in,
                          std::int64_t columns) {
    c.appendCast(out, Pass::backwardInput, c.elements(columns));
    out.push_back(linearBackwardInput(name, c.shape.tokens, in, columns, c.formats));
    out.push_back(linearBackwardWeight(name, c.shape.tokens, in, columns, c.formats));
}

void appendColumnBackward(OpSequence& out, const LayerContext& c, std::string_view name, std::int64_t in,
                          std::int64_t columns, std::string_view gather, std::string_view reduce) {
    c.appendCast(out, Pass::backwardInput, c.elements(columns));
    c.comm.regatherColumn(out, gather);
    out.push_back(linearBackwardInput(name, c.shape.tokens, in, columns, c.formats));
    c.comm.leaveColumnBackward(out, reduce);
    out.push_back(linearBackwardWeight(name, c.shape.tokens, in, columns, c.formats));
}

}  // namespace

OpSequence layerForward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape) {
    const LayerContext c(model, plan, shape);
    const std::int64_t hidden = shape.hidden;
    OpSequence out;
    out.reserve(24);
    out.push_back(c.norm("attention_norm", Pass::forward));
    c.appendCast(out, Pass::forward, c.hiddenElements);
    c.comm.enterColumn(out, "qkv_gather");
    out.push_back(keeping(linearForward("qkv", shape.tokens, hidden, shape.qkvWidth(), c.formats),
                          c.hiddenElements * c.operandSize()));
    if (!model.learnedPositions) out.push_back(c.rotary(Pass::forward));
    appendAttentionForward(out, model, plan, shape);
    c.appendCast(out, Pass::forward, c.elements(shape.queryWidth()));
    out.push_back(keeping(linearForward("attention_out", shape.tokens, shape.queryWidth(), hidden, c.formats),
                          c.elements(shape.queryWidth()) * c.formats.storageSize));
    c.comm.leaveRow(out, "attention_out_reduce");
    out.push_back(c.residual(Pass::forward));

    out.push_back(c.norm("mlp_norm", Pass::forward));
    c.appendCast(out, Pass::forward, c.hiddenElements);
    c.comm.enterColumn(out, "mlp_gather");
    out.push_back(keeping(linearForward(c.mlpUp, shape.tokens, hidden, c.upWidth(), c.formats),
                          c.hiddenElements * c.operandSize()));
    out.push_back(c.activation(Pass::forward));
    c.appendCast(out, Pass::forward, c.elements(shape.ffn));
    out.push_back(keeping(linearForward("mlp_down", shape.tokens, shape.ffn, hidden, c.formats),
                          c.elements(shape.ffn) * c.operandSize()));
    c.comm.leaveRow(out, "mlp_down_reduce");
    out.push_back(c.residual(Pass::forward));
    return out;
}

OpSequence layerBackward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape) {
    const LayerContext c(model, plan, shape);
    const std::int64_t hidden = shape.hidden;
    OpSequence out;
    out.reserve(36);
    out.push_back(c.residual(Pass::backwardInput));
    c.comm.enterRowBackward(out, "mlp_down_gather");
    appendLinearBackward(out, c, "mlp_down", shape.ffn, hidden);
    out.push_back(c.activation(Pass::backwardInput));
    appendColumnBackward(out, c, c.mlpUp, hidden, c.upWidth(), "mlp_gather", "mlp_reduce");
    out.push_back(c.norm("mlp_norm", Pass::backwardInput));

    out.push_back(c.residual(Pass::backwardInput));
    c.comm.enterRowBackward(out, "attention_out_gather");
    appendLinearBackward(out, c, "attention_out", shape.queryWidth(), hidden);
    appendAttentionBackward(out, model, plan, shape);
    if (!model.learnedPositions) out.push_back(c.rotary(Pass::backwardInput));
    appendColumnBackward(out, c, "qkv", hidden, shape.qkvWidth(), "qkv_gather", "qkv_reduce");
    out.push_back(c.norm("attention_norm", Pass::backwardInput));
    return out;
}

OpSequence layerRecompute(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape) {
    if (plan.recompute == Recompute::none) return {};
    OpSequence out = layerForward(model, plan, shape);
    if (plan.recompute == Recompute::selective) {
        std::erase_if(out, [](const PlacedOp& op) { return !op.attentionCore; });
    }
    return out;
}

}  // namespace orrery
