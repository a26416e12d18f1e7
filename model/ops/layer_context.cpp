#include "model/ops/layer_context.hpp"

namespace orrery {
namespace {

// Arithmetic of one element: mean square, scale and multiply; with mean and shift for LayerNorm. Memory bounds it.
double normFlops(const ModelSpec& model) {
    return model.norm == NormKind::rmsNorm ? 4.0 : 7.0;
}
constexpr double kNormBackwardFlops = 10.0;
constexpr double kGatedFlops = 5.0, kGatedBackwardFlops = 11.0;  // per column: x * sigmoid(x) * gate
constexpr double kPlainFlops = 8.0, kPlainBackwardFlops = 13.0;  // per column: GELU by tanh

}  // namespace

LayerContext::LayerContext(const ModelSpec& m, const ParallelPlan& p, const ShardShape& s)
    : model(m),
      plan(p),
      shape(s),
      formats(formatsOf(p)),
      comm(p, static_cast<double>(s.tokens) * static_cast<double>(s.hidden) * formatsOf(p).storageSize),
      hiddenElements(s.shardTokens * static_cast<double>(s.hidden)) {}

void LayerContext::appendCast(OpSequence& out, Pass pass, double tensorElements) const {
    if (formats.computeSize >= formats.storageSize) return;
    // Current scaling reads the tensor once more, for its largest value, before it can be scaled.
    const double reads = plan.fp8Recipe == Fp8Recipe::current ? 2.0 : 1.0;
    out.push_back(memoryOp("cast", OpClass::elementwise, pass,
                           (reads * formats.storageSize + 2.0 * formats.computeSize) * tensorElements, tensorElements,
                           formats));
}

PlacedOp LayerContext::norm(std::string_view name, Pass pass, double normed) const {
    const bool forward = pass == Pass::forward;
    PlacedOp op = memoryOp(name, OpClass::norm, pass, (forward ? 2.0 : 3.0) * normed * formats.storageSize,
                           (forward ? normFlops(model) : kNormBackwardFlops) * normed, formats);
    if (forward) op = repeatedBy(keeping(op, normed * formats.storageSize), kRecomputeNorm);
    return op;
}

PlacedOp LayerContext::residual(Pass pass) const {
    const double mask = model.dropout ? hiddenElements : 0.0;  // one byte an element
    PlacedOp op = memoryOp("residual", OpClass::elementwise, pass, 3.0 * hiddenElements * formats.storageSize + mask,
                           hiddenElements, formats);
    if (pass == Pass::forward) op.saved = Bytes(mask);
    return op;
}

PlacedOp LayerContext::activation(std::string_view name, Pass pass, double outputs) const {
    // Forward reads one or two columns and writes one; backward reads those and a gradient, writes gradients.
    const double columns = pass == Pass::forward ? (model.gatedMlp ? 3.0 : 2.0) : (model.gatedMlp ? 5.0 : 3.0);
    const double gated = pass == Pass::forward ? kGatedFlops : kGatedBackwardFlops;
    const double plain = pass == Pass::forward ? kPlainFlops : kPlainBackwardFlops;
    PlacedOp op = memoryOp(name, OpClass::elementwise, pass, columns * outputs * formats.storageSize,
                           (model.gatedMlp ? gated : plain) * outputs, formats);
    if (pass == Pass::forward) op.saved = Bytes((model.gatedMlp ? 2.0 : 1.0) * outputs * formats.storageSize);
    return op;
}

void LayerContext::appendLinearBackward(OpSequence& out, std::string_view name, std::int64_t rows, std::int64_t in,
                                        std::int64_t columns) const {
    appendCast(out, Pass::backwardInput, static_cast<double>(rows) * static_cast<double>(columns));
    out.push_back(linearBackwardInput(name, rows, in, columns, formats));
    out.push_back(linearBackwardWeight(name, rows, in, columns, formats));
}

void LayerContext::appendColumnBackward(OpSequence& out, std::string_view name, std::int64_t in, std::int64_t columns,
                                        std::string_view gather, std::string_view reduce) const {
    appendCast(out, Pass::backwardInput, elements(columns));
    comm.regatherColumn(out, gather);
    out.push_back(linearBackwardInput(name, shape.tokens, in, columns, formats));
    comm.leaveColumnBackward(out, reduce);
    out.push_back(linearBackwardWeight(name, shape.tokens, in, columns, formats));
}

PlacedOp keeping(PlacedOp op, double bytes) {
    op.saved += Bytes(bytes);
    return op;
}
PlacedOp repeatedBy(PlacedOp op, unsigned modules) {
    op.modules = static_cast<std::uint8_t>(op.modules | modules);
    return op;
}
PlacedOp spared(PlacedOp op, unsigned modules) {
    op.savedModules = static_cast<std::uint8_t>(op.savedModules | modules);
    return op;
}

}  // namespace orrery
