#include "model/ops/attention_ops.hpp"

#include <algorithm>

namespace orrery {
namespace {

// FLOPs of exp, maximum, sum and division for one element of a softmax, and of its gradient; memory bounds both.
constexpr double kSoftmaxFlops = 5.0;
constexpr double kSoftmaxBackwardFlops = 4.0;

/// What one rank's attention kernels see after the exchanges of context parallelism.
struct Extent {
    std::int64_t queries, keys;  ///< tokens of one kernel
    std::int64_t heads, kvHeads;
    double pairs;  ///< of one kernel and head
    int kernels;   ///< run one after the other, one a chunk of keys
};

Extent extentOf(const ParallelPlan& plan, const ShardShape& shape, bool windowed) {
    const int exchanged = plan.cpAllToAll;
    const int ring = plan.contextComm == ContextComm::ring ? plan.ringRanks() : 1;
    const int gathered = plan.contextComm == ContextComm::ring ? 1 : plan.ringRanks();
    Extent extent{};
    extent.queries = shape.tokens * exchanged;
    extent.keys = shape.tokens * exchanged * gathered;
    extent.heads = shape.heads / exchanged;
    extent.kvHeads = std::max<std::int64_t>(1, shape.kvHeads / exchanged);
    extent.kernels = ring;
    extent.pairs = (windowed ? shape.windowPairs : shape.pairs) * exchanged / ring;
    return extent;
}

PlacedOp fused(Pass pass, const ShardShape& shape, const Extent& extent, const Formats& formats) {
    const bool forward = pass == Pass::forward;
    const double heads = static_cast<double>(extent.heads);
    const auto qk = static_cast<double>(shape.headDim);
    const auto v = static_cast<double>(shape.valueDim);
    const double products = forward ? qk + v : 3.0 * qk + 2.0 * v;
    // Forward: q, k, v in, output out. Backward: those and the output's gradient in, gradients of q, k, v out.
    const double once = static_cast<double>(extent.queries) * heads * (qk + v) +
                        static_cast<double>(extent.keys) * static_cast<double>(extent.kvHeads) * (qk + v);
    PlacedOp placed;
    Op& op = placed.op;
    op.cls = OpClass::attention;
    op.pass = pass;
    op.name = "attention";
    op.dtype = formats.storage;
    op.flops = Flops(2.0 * products * extent.pairs * heads);
    op.bytes = Bytes((forward ? 1.0 : 2.0) * once * formats.storageSize);
    op.pairs = extent.pairs;
    op.tokens = extent.queries;
    op.heads = extent.heads;
    op.kvHeads = extent.kvHeads;
    op.headDim = shape.headDim;
    op.valueHeadDim = shape.valueDim;
    op.longestDocument = static_cast<double>(shape.longest);
    placed.repeat = extent.kernels;
    placed.modules = kRecomputeCoreAttention;
    placed.savedModules = kRecomputeCoreAttention;
    return placed;
}

/// Exchange of heads for tokens, of `columns` columns of this rank's tokens.
void appendHeadExchange(OpSequence& out, const ParallelPlan& plan, const ShardShape& shape, const Formats& formats,
                        std::string_view name, Pass pass, std::int64_t columns) {
    if (plan.cpAllToAll == 1) return;
    const double bytes = static_cast<double>(shape.tokens) * static_cast<double>(columns) * formats.storageSize;
    out.push_back(collectiveOp(name, OpClass::allToAll, pass, bytes, CommGroup::contextAllToAll));
}

/// Keys and values of all ring ranks; with the gradients of both in the backward pass.
void appendKeyExchange(OpSequence& out, const ParallelPlan& plan, const ShardShape& shape, const Extent& extent,
                       const Formats& formats, Pass pass) {
    const int ring = plan.ringRanks();
    if (ring == 1) return;
    const double tensors = pass == Pass::forward ? 1.0 : 2.0;
    const double bytes = static_cast<double>(extent.queries) * ring * static_cast<double>(extent.kvHeads) *
                         static_cast<double>(shape.headDim + shape.valueDim) * formats.storageSize;
    const bool hidden = plan.contextComm == ContextComm::ring;
    out.push_back(collectiveOp("kv_exchange", OpClass::allGather, pass, tensors * bytes, CommGroup::context,
                               hidden ? Overlap::slicedNext : Overlap::none));
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
    op.modules = kRecomputeCoreAttention;
    op.savedModules = kRecomputeCoreAttention;
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
        pushCore(out, gemm("attention_values", Pass::forward, run.length, shape.valueDim, run.length,
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

void appendAttentionForward(OpSequence& out, const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                            bool windowed) {
    const Formats formats = formatsOf(plan);
    // q, k and v stay for the backward pass whatever of the core is recomputed, so they belong to the operator before
    // it; they go when the projection that makes them is repeated.
    const double qkv = static_cast<double>(shape.tokens) * static_cast<double>(shape.qkvWidth()) * formats.storageSize;
    if (!out.empty()) {
        PlacedOp& before = out.back();
        before.saved += Bytes(qkv);
        if (model.attention == AttentionKind::latent) before.savedModules |= kRecomputeLatentUp;
    }
    if (!plan.flashAttention) {
        appendSeparateForward(out, model, shape, formats);
        return;
    }
    const Extent extent = extentOf(plan, shape, windowed);
    appendHeadExchange(out, plan, shape, formats, "qkv_exchange", Pass::forward, shape.qkvWidth());
    appendKeyExchange(out, plan, shape, extent, formats, Pass::forward);
    out.push_back(fused(Pass::forward, shape, extent, formats));
    // One float per query and head: the logarithm of the softmax's sum.
    out.back().saved = Bytes(4.0 * static_cast<double>(shape.tokens) * static_cast<double>(shape.heads));
    appendHeadExchange(out, plan, shape, formats, "attention_exchange", Pass::forward, shape.valueWidth());
}

void appendAttentionBackward(OpSequence& out, const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                             bool windowed) {
    const Formats formats = formatsOf(plan);
    if (!plan.flashAttention) {
        appendSeparateBackward(out, model, shape, formats);
        return;
    }
    const Extent extent = extentOf(plan, shape, windowed);
    appendHeadExchange(out, plan, shape, formats, "attention_exchange", Pass::backwardInput, shape.valueWidth());
    appendKeyExchange(out, plan, shape, extent, formats, Pass::backwardInput);
    out.push_back(fused(Pass::backwardInput, shape, extent, formats));
    appendHeadExchange(out, plan, shape, formats, "qkv_exchange", Pass::backwardInput, shape.qkvWidth());
}

}  // namespace orrery
