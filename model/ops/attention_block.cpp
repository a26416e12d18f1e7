#include "model/ops/attention_ops.hpp"
#include "model/ops/mixer_block.hpp"

namespace orrery {
namespace {

constexpr double kRotaryFlops = 3.0;  // per element: two multiplications and an addition

PlacedOp rotary(const LayerContext& c, Pass pass) {
    const bool latent = c.model.attention == AttentionKind::latent;
    const std::int64_t columns =
        latent ? (c.shape.heads + 1) * c.model.latent.ropeHeadDim : (c.shape.heads + c.shape.kvHeads) * c.shape.headDim;
    const double rotated = c.elements(columns);
    return memoryOp("rotary", OpClass::elementwise, pass, 2.0 * rotated * c.formats.storageSize, kRotaryFlops * rotated,
                    c.formats);
}

/// Low-rank projections of queries, keys and values.
struct Latent {
    std::int64_t rows;  ///< tokens that this rank projects down
    std::int64_t queryRank, kvRank, kvDown, queryWidth, kvUpWidth;

    explicit Latent(const LayerContext& c)
        : rows(static_cast<std::int64_t>(c.shape.shardTokens)),
          queryRank(c.model.latent.queryRank),
          kvRank(c.model.latent.kvRank),
          kvDown(kvRank + c.model.latent.ropeHeadDim),
          queryWidth(c.shape.queryWidth()),
          kvUpWidth(c.shape.heads * (c.model.headDim + c.shape.valueDim)) {}
};

/// Compressed rows are gathered before the up-projections, which tensor parallelism divides by heads.
void gatherCompressed(OpSequence& out, const LayerContext& c, std::int64_t columns, Pass pass) {
    if (c.plan.tp == 1 || !c.plan.sequenceParallel) return;
    out.push_back(collectiveOp("latent_gather", pass == Pass::forward ? OpClass::allGather : OpClass::reduceScatter,
                               pass, c.elements(columns) * c.formats.storageSize, CommGroup::tensor));
}

void appendLatentForward(OpSequence& out, const LayerContext& c) {
    const Latent l(c);
    const double size = c.formats.storageSize;
    const double hidden = c.hiddenElements;
    const double down = c.shape.shardTokens;
    c.appendCast(out, Pass::forward, hidden);
    if (l.queryRank > 0) {
        out.push_back(spared(
            keeping(linearForward("q_down", l.rows, c.shape.hidden, l.queryRank, c.formats), hidden * c.operandSize()),
            kRecomputeNorm));
        out.push_back(c.norm("q_norm", Pass::forward, down * static_cast<double>(l.queryRank)));
        gatherCompressed(out, c, l.queryRank, Pass::forward);
        out.push_back(repeatedBy(keeping(linearForward("q_up", c.shape.tokens, l.queryRank, l.queryWidth, c.formats),
                                         down * static_cast<double>(l.queryRank) * c.operandSize()),
                                 kRecomputeLatentUp));
    } else {
        c.comm.enterColumn(out, "qkv_gather");
        out.push_back(spared(keeping(linearForward("q_up", c.shape.tokens, c.shape.hidden, l.queryWidth, c.formats),
                                     hidden * c.operandSize()),
                             kRecomputeNorm));
    }
    out.push_back(linearForward("kv_down", l.rows, c.shape.hidden, l.kvDown, c.formats));
    out.push_back(c.norm("kv_norm", Pass::forward, down * static_cast<double>(l.kvRank)));
    gatherCompressed(out, c, l.kvDown, Pass::forward);
    out.push_back(repeatedBy(keeping(linearForward("kv_up", c.shape.tokens, l.kvRank, l.kvUpWidth, c.formats),
                                     down * static_cast<double>(l.kvRank) * c.operandSize()),
                             kRecomputeLatentUp));
    // The shared rotary part is copied to every head: keys are put together from both.
    out.push_back(repeatedBy(memoryOp("latent_join", OpClass::elementwise, Pass::forward,
                                      2.0 * c.elements(c.shape.qkvWidth()) * size, 0.0, c.formats),
                             kRecomputeLatentUp));
}

void appendLatentBackward(OpSequence& out, const LayerContext& c) {
    const Latent l(c);
    const double down = c.shape.shardTokens;
    out.push_back(memoryOp("latent_join", OpClass::elementwise, Pass::backwardInput,
                           2.0 * c.elements(c.shape.qkvWidth()) * c.formats.storageSize, 0.0, c.formats));
    c.appendLinearBackward(out, "kv_up", c.shape.tokens, l.kvRank, l.kvUpWidth);
    gatherCompressed(out, c, l.kvDown, Pass::backwardInput);
    out.push_back(c.norm("kv_norm", Pass::backwardInput, down * static_cast<double>(l.kvRank)));
    c.appendLinearBackward(out, "kv_down", l.rows, c.shape.hidden, l.kvDown);
    if (l.queryRank > 0) {
        c.appendLinearBackward(out, "q_up", c.shape.tokens, l.queryRank, l.queryWidth);
        gatherCompressed(out, c, l.queryRank, Pass::backwardInput);
        out.push_back(c.norm("q_norm", Pass::backwardInput, down * static_cast<double>(l.queryRank)));
        c.appendLinearBackward(out, "q_down", l.rows, c.shape.hidden, l.queryRank);
    } else {
        c.appendColumnBackward(out, "q_up", c.shape.hidden, l.queryWidth, "qkv_gather", "qkv_reduce");
    }
}

}  // namespace

void appendAttentionBlockForward(OpSequence& out, const LayerContext& c, bool windowed) {
    const bool latent = c.model.attention == AttentionKind::latent;
    if (latent) {
        appendLatentForward(out, c);
    } else {
        c.appendCast(out, Pass::forward, c.hiddenElements);
        c.comm.enterColumn(out, "qkv_gather");
        out.push_back(
            spared(keeping(linearForward("qkv", c.shape.tokens, c.shape.hidden, c.shape.qkvWidth(), c.formats),
                           c.hiddenElements * c.operandSize()),
                   kRecomputeNorm));
    }
    if (!c.model.learnedPositions) out.push_back(rotary(c, Pass::forward));
    appendAttentionForward(out, c.model, c.plan, c.shape, windowed);
    c.appendCast(out, Pass::forward, c.elements(c.shape.valueWidth()));
    out.push_back(
        keeping(linearForward("attention_out", c.shape.tokens, c.shape.valueWidth(), c.shape.hidden, c.formats),
                c.elements(c.shape.valueWidth()) * c.formats.storageSize));
    c.comm.leaveRow(out, "attention_out_reduce");
}

void appendAttentionBlockBackward(OpSequence& out, const LayerContext& c, bool windowed) {
    c.comm.enterRowBackward(out, "attention_out_gather");
    c.appendLinearBackward(out, "attention_out", c.shape.tokens, c.shape.valueWidth(), c.shape.hidden);
    appendAttentionBackward(out, c.model, c.plan, c.shape, windowed);
    if (!c.model.learnedPositions) out.push_back(rotary(c, Pass::backwardInput));
    if (c.model.attention == AttentionKind::latent) {
        appendLatentBackward(out, c);
    } else {
        c.appendColumnBackward(out, "qkv", c.shape.hidden, c.shape.qkvWidth(), "qkv_gather", "qkv_reduce");
    }
}

}  // namespace orrery
