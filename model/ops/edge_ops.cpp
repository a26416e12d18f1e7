#include "model/ops/edge_ops.hpp"

#include "model/ops/layer_context.hpp"

namespace orrery {
namespace {

constexpr double kFloat = 4.0;      // bytes; losses and softmax of logits are float32 in every framework
constexpr double kLossFlops = 4.0;  // per logit: maximum, subtraction, exponential, sum
constexpr double kLossBackFlops = 3.0;
constexpr double kNormFlops = 4.0, kNormBackwardFlops = 10.0;

double hiddenElements(const ShardShape& shape) {
    return shape.shardTokens * static_cast<double>(shape.hidden);
}

/// The output matrix multiplies in the storage format also where layers multiply in 8 or 4 bits (Transformer Engine's
/// recipes leave it out).
Formats headFormats(const ParallelPlan& plan) {
    Formats formats = formatsOf(plan);
    if (formats.computeSize < formats.storageSize) {
        formats.compute = formats.storage;
        formats.computeSize = formats.storageSize;
    }
    return formats;
}

/// Bytes that the loss keeps of a logit for the backward pass: the softmax in float32, or the gradient that a fused
/// loss has put in its place.
double keptLogit(const ParallelPlan& plan, const Formats& formats) {
    return plan.fusedCrossEntropy ? formats.storageSize : kFloat;
}

double allElements(const ShardShape& shape) {
    return static_cast<double>(shape.tokens) * static_cast<double>(shape.hidden);
}

}  // namespace

OpSequence embeddingForward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape) {
    const Formats formats = formatsOf(plan);
    const double size = formats.storageSize;
    OpSequence out;
    const double passes = model.learnedPositions ? 4.0 : 2.0;  // rows in and out; positions in, sum out
    out.push_back(memoryOp("embedding", OpClass::embedding, Pass::forward, passes * allElements(shape) * size,
                           model.learnedPositions ? allElements(shape) : 0.0, formats));
    TensorComm(plan, allElements(shape) * size).leaveRow(out, "embedding_reduce");
    if (!out.empty() && out.back().group == CommGroup::tensor) out.back().overlap = Overlap::none;
    if (model.dropout) {
        const double elements = hiddenElements(shape);
        out.push_back(memoryOp("embedding_dropout", OpClass::elementwise, Pass::forward, (2.0 * size + 1.0) * elements,
                               elements, formats));
        out.back().saved = Bytes(elements);  // the mask
    }
    return out;
}

OpSequence embeddingBackward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape) {
    const Formats formats = formatsOf(plan);
    const double size = formats.storageSize;
    OpSequence out;
    if (model.dropout) {
        const double elements = hiddenElements(shape);
        out.push_back(memoryOp("embedding_dropout", OpClass::elementwise, Pass::backwardInput,
                               (2.0 * size + 1.0) * elements, elements, formats));
    }
    TensorComm(plan, allElements(shape) * size).enterRowBackward(out, "embedding_gather");
    // Gradient rows are read and added to the gradient of the table: read, read, write.
    out.push_back(memoryOp("embedding", OpClass::embedding, Pass::backwardWeight,
                           allElements(shape) * (size + 2.0 * formats.gradientSize), allElements(shape), formats));
    return out;
}

OpSequence headForward(const ModelSpec& /*model*/, const ParallelPlan& plan, const ShardShape& shape) {
    const Formats formats = headFormats(plan);
    const double size = formats.storageSize;
    const double elements = hiddenElements(shape);
    const double logits = static_cast<double>(shape.tokens) * static_cast<double>(shape.vocab);
    const double kept = keptLogit(plan, formats);
    const TensorComm comm(plan, allElements(shape) * size);
    OpSequence out;
    out.push_back(
        memoryOp("final_norm", OpClass::norm, Pass::forward, 2.0 * elements * size, kNormFlops * elements, formats));
    out.back().saved = Bytes(elements * size);
    comm.enterColumn(out, "output_gather");
    out.push_back(linearForward("output", shape.tokens, shape.hidden, shape.vocab, formats));
    out.back().saved = Bytes(elements * size);
    out.push_back(memoryOp("cross_entropy", OpClass::crossEntropy, Pass::forward,
                           logits * (size + (size < kFloat ? kept : 0.0)), kLossFlops * logits, formats));
    out.back().saved = Bytes(logits * kept);
    if (plan.tp > 1) {
        for (int sum = 0; sum < 3; ++sum) {
            out.push_back(collectiveOp("cross_entropy_reduce", OpClass::allReduce, Pass::forward,
                                       kFloat * static_cast<double>(shape.tokens), CommGroup::tensor));
        }
    }
    return out;
}

OpSequence headBackward(const ModelSpec& /*model*/, const ParallelPlan& plan, const ShardShape& shape) {
    const Formats formats = headFormats(plan);
    const double size = formats.storageSize;
    const double elements = hiddenElements(shape);
    const double logits = static_cast<double>(shape.tokens) * static_cast<double>(shape.vocab);
    const TensorComm comm(plan, allElements(shape) * size);
    OpSequence out;
    out.push_back(memoryOp("cross_entropy", OpClass::crossEntropy, Pass::backwardInput,
                           logits * (size + keptLogit(plan, formats)), kLossBackFlops * logits, formats));
    comm.regatherColumn(out, "output_gather");
    out.push_back(linearBackwardInput("output", shape.tokens, shape.hidden, shape.vocab, formats));
    comm.leaveColumnBackward(out, "output_reduce");
    out.push_back(linearBackwardWeight("output", shape.tokens, shape.hidden, shape.vocab, formats));
    out.push_back(memoryOp("final_norm", OpClass::norm, Pass::backwardInput, 3.0 * elements * size,
                           kNormBackwardFlops * elements, formats));
    return out;
}

OpSequence mtpForward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape) {
    const LayerContext c(model, plan, shape);
    OpSequence out = embeddingForward(model, plan, shape);
    out.push_back(c.norm("mtp_norm", Pass::forward, 2.0 * c.hiddenElements));
    out.push_back(keeping(linearForward("mtp_proj", shape.tokens, 2 * shape.hidden, shape.hidden / plan.tp, c.formats),
                          2.0 * c.hiddenElements * c.operandSize()));
    TensorComm(plan, allElements(shape) * c.formats.storageSize).leaveRow(out, "mtp_gather");
    return out;
}

OpSequence mtpBackward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape) {
    const LayerContext c(model, plan, shape);
    OpSequence out;
    TensorComm(plan, allElements(shape) * c.formats.storageSize).enterRowBackward(out, "mtp_gather");
    c.appendLinearBackward(out, "mtp_proj", shape.tokens, 2 * shape.hidden, shape.hidden / plan.tp);
    out.push_back(c.norm("mtp_norm", Pass::backwardInput, 2.0 * c.hiddenElements));
    for (const PlacedOp& op : embeddingBackward(model, plan, shape)) out.push_back(op);
    return out;
}

}  // namespace orrery
