#include "model/ops/attention_ops.hpp"

namespace orrery {
namespace {

// FLOPs of exp, maximum, sum and division for one element of a softmax, and of its gradient; memory bounds both.
constexpr double kSoftmaxFlops = 5.0;
constexpr double kSoftmaxBackwardFlops = 4.0;

PlacedOp fused(Pass pass, const ShardShape& shape, const Formats& formats) {
    const bool forward = pass == Pass::forward;
    const double products = forward ? 2.0 : 5.0;
    const auto width = static_cast<double>(shape.queryWidth());
    // Forward: q, k, v in, output out. Backward: those and the output's gradient in, gradients of q, k, v out.
    const double once = static_cast<double>(shape.tokens) * static_cast<double>(shape.qkvWidth() + shape.queryWidth());
    PlacedOp placed;
    Op& op = placed.op;
    op.cls = OpClass::attention;
    op.pass = pass;
    op.name = "attention";
    op.dtype = formats.storage;
    op.flops = Flops(2.0 * products * shape.pairs * width);
    op.bytes = Bytes((forward ? 1.0 : 2.0) * once * formats.storageSize);
    op.pairs = shape.pairs;
    op.tokens = shape.tokens;
    op.heads = shape.heads;
    op.kvHeads = shape.kvHeads;
    op.headDim = shape.headDim;
    op.valueHeadDim = shape.headDim;
    op.longestDocument = static_cast<double>(shape.longest);
    placed.attentionCore = true;
    return placed;
}

/// Elements of the score matrices of all documents and heads of this rank.
double scoreElements(const ShardShape& shape) {
    double elements = 0.0;
    for (const DocumentRun& run : shape.runs) {
        const auto length = static_cast<double>(run.length);
        elements += length * length * static_cast<double>(run.count);
    }
    return elements * static_cast<double>(shape.heads);
}

void pushCore(OpSequence& out, PlacedOp op, double saved = 0.0) {
    op.attentionCore = true;
    op.saved = Bytes(saved);
    out.push_back(op);
}

void appendSeparateForward(OpSequence& out, const ModelSpec& model, const ShardShape& shape, const Formats& formats) {
    const double scores = scoreElements(shape);
    const double size = formats.storageSize;
    for (const DocumentRun& run : shape.runs) {
        pushCore(out, gemm("attention_scores", Pass::forward, run.length, run.length, shape.headDim,
                           run.count * shape.heads, formats));
    }
    pushCore(out,
             memoryOp("attention_softmax", OpClass::elementwise, Pass::forward, 2.0 * size * scores,
                      kSoftmaxFlops * scores, formats),
             size * scores);
    if (model.dropout) {
        pushCore(out,
                 memoryOp("attention_dropout", OpClass::elementwise, Pass::forward, (2.0 * size + 1.0) * scores, scores,
                          formats),
                 (size + 1.0) * scores);  // the mask, and the probabilities that the values are weighted with
    }
    for (const DocumentRun& run : shape.runs) {
        pushCore(out, gemm("attention_values", Pass::forward, run.length, shape.headDim, run.length,
                           run.count * shape.heads, formats));
    }
}

void appendSeparateBackward(OpSequence& out, const ModelSpec& model, const ShardShape& shape, const Formats& formats) {
    const double scores = scoreElements(shape);
    const double size = formats.storageSize;
    // Each product of the forward pass has two gradients of equal work.
    for (const DocumentRun& run : shape.runs) {
        const std::int64_t groups = run.count * shape.heads;
        out.push_back(
            gemm("attention_values", Pass::backwardInput, run.length, run.length, shape.headDim, groups, formats));
        out.push_back(
            gemm("attention_values", Pass::backwardInput, run.length, shape.headDim, run.length, groups, formats));
    }
    if (model.dropout) {
        out.push_back(memoryOp("attention_dropout", OpClass::elementwise, Pass::backwardInput,
                               (2.0 * size + 1.0) * scores, scores, formats));
    }
    out.push_back(memoryOp("attention_softmax", OpClass::elementwise, Pass::backwardInput, 3.0 * size * scores,
                           kSoftmaxBackwardFlops * scores, formats));
    for (const DocumentRun& run : shape.runs) {
        const std::int64_t groups = run.count * shape.heads;
        for (int operand = 0; operand < 2; ++operand) {
            out.push_back(
                gemm("attention_scores", Pass::backwardInput, run.length, shape.headDim, run.length, groups, formats));
        }
    }
}

}  // namespace

void appendAttentionForward(OpSequence& out, const ModelSpec& model, const ParallelPlan& plan,
                            const ShardShape& shape) {
    const Formats formats = formatsOf(plan);
    const std::size_t first = out.size();
    if (plan.flashAttention) {
        out.push_back(fused(Pass::forward, shape, formats));
        // One float per query and head: the logarithm of the softmax's sum.
        out.back().saved = Bytes(4.0 * static_cast<double>(shape.tokens) * static_cast<double>(shape.heads));
    } else {
        appendSeparateForward(out, model, shape, formats);
    }
    // q, k and v stay for the backward pass whatever is recomputed, so they belong to the operator before the core.
    const double qkv = static_cast<double>(shape.tokens) * static_cast<double>(shape.qkvWidth()) * formats.storageSize;
    if (first > 0) out[first - 1].saved += Bytes(qkv);
}

void appendAttentionBackward(OpSequence& out, const ModelSpec& model, const ParallelPlan& plan,
                             const ShardShape& shape) {
    const Formats formats = formatsOf(plan);
    if (plan.flashAttention) {
        out.push_back(fused(Pass::backwardInput, shape, formats));
    } else {
        appendSeparateBackward(out, model, shape, formats);
    }
}

}  // namespace orrery
