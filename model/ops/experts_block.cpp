#include "model/ops/mlp_block.hpp"

namespace orrery {
namespace {

constexpr double kFloat = 4.0;        // bytes; routing runs in float32
constexpr double kRouterFlops = 6.0;  // per token and expert: softmax or sigmoid, comparison of the top-k
constexpr double kIndexBytes = 8.0;   // position and probability of one copy
constexpr unsigned kModules = kRecomputeExperts;

constexpr MlpNames kShared{"shared_up",          "shared_gather",      "shared_act",   "shared_down",
                           "shared_down_reduce", "shared_down_gather", "shared_reduce"};

/// Sizes of the expert exchange of one layer on one rank.
struct ExpertSizes {
    double hidden, size;  ///< columns of a hidden state, bytes of an element
    double routed, sent, worked;
    double logits;  ///< tokens x experts
    std::int64_t rows, ffn, groups;

    explicit ExpertSizes(const LayerContext& c)
        : hidden(static_cast<double>(c.shape.hidden)),
          size(c.formats.storageSize),
          routed(c.shape.routedTokens),
          sent(c.shape.dispatchedTokens),
          worked(c.shape.expertTokens()),
          logits(routed * static_cast<double>(c.model.moe.experts)),
          rows(c.shape.tokensPerExpert),
          ffn(c.shape.expertFfn),
          groups(c.shape.localExperts) {}
};

PlacedOp moved(std::string_view name, Pass pass, double bytes, const LayerContext& c) {
    return memoryOp(name, OpClass::elementwise, pass, bytes, 0.0, c.formats);
}

/// From the tokens of this rank to the rows of its experts: permute, exchange, gather, sort by expert.
void appendDispatch(OpSequence& out, const LayerContext& c, const ExpertSizes& s, Pass pass) {
    const bool forward = pass == Pass::forward;
    const double row = s.hidden * s.size;
    out.push_back(moved(forward ? "moe_permute" : "moe_unpermute", pass, (s.routed + s.sent) * row, c));
    if (c.plan.ep > 1) {
        out.push_back(collectiveOp(forward ? "moe_dispatch" : "moe_combine", OpClass::allToAll, pass, s.sent * row,
                                   CommGroup::expert));
    }
    if (c.plan.etp > 1) {
        out.push_back(collectiveOp("moe_gather", OpClass::allGather, pass, s.worked * row, CommGroup::expertTensor));
    }
    if (s.groups > 1 && c.plan.ep > 1) out.push_back(moved("moe_sort", pass, 2.0 * s.worked * row, c));
}

/// The way back of the same.
void appendCombine(OpSequence& out, const LayerContext& c, const ExpertSizes& s, Pass pass) {
    const bool forward = pass == Pass::forward;
    const double row = s.hidden * s.size;
    if (s.groups > 1 && c.plan.ep > 1) out.push_back(moved("moe_sort", pass, 2.0 * s.worked * row, c));
    if (c.plan.etp > 1) {
        out.push_back(
            collectiveOp("moe_reduce", OpClass::reduceScatter, pass, s.worked * row, CommGroup::expertTensor));
    }
    if (c.plan.ep > 1) {
        out.push_back(collectiveOp(forward ? "moe_combine" : "moe_dispatch", OpClass::allToAll, pass, s.sent * row,
                                   CommGroup::expert));
    }
    out.push_back(moved(forward ? "moe_unpermute" : "moe_permute", pass, (s.routed + s.sent) * row, c));
}

/// The router multiplies in float32 (Megatron-Core's --moe-router-dtype fp32) or as stored; its inputs are small.
PlacedOp routerGemm(const LayerContext& c, Pass pass) {
    Formats formats = c.formats;
    formats.compute = formats.storage;
    formats.computeSize = formats.storageSize;
    const auto tokens = static_cast<std::int64_t>(c.shape.routedTokens);
    switch (pass) {
        case Pass::forward:
            return linearForward("router", tokens, c.shape.hidden, c.model.moe.experts, formats);
        case Pass::backwardWeight:
            return linearBackwardWeight("router", tokens, c.shape.hidden, c.model.moe.experts, formats);
        default:
            return linearBackwardInput("router", tokens, c.shape.hidden, c.model.moe.experts, formats);
    }
}

}  // namespace

void appendExpertsForward(OpSequence& out, const LayerContext& c) {
    const ExpertSizes s(c);
    const std::size_t first = out.size();
    // Input of the router: kept once for router, experts and shared experts.
    out.push_back(spared(keeping(routerGemm(c, Pass::forward), c.hiddenElements * s.size), kRecomputeNorm));
    out.push_back(spared(keeping(memoryOp("router_topk", OpClass::elementwise, Pass::forward, 3.0 * kFloat * s.logits,
                                          kRouterFlops * s.logits, c.formats),
                                 kFloat * s.logits + kIndexBytes * s.sent),
                         kModules));
    appendDispatch(out, c, s, Pass::forward);
    c.appendCast(out, Pass::forward, s.worked * s.hidden);
    const double activated = s.worked * static_cast<double>(s.ffn);
    out.push_back(spared(
        keeping(groupedGemm("expert_up", Pass::forward, s.rows, c.upWidth(s.ffn), c.shape.hidden, s.groups, c.formats),
                s.worked * s.hidden * c.operandSize()),
        kModules));
    out.push_back(
        repeatedBy(spared(c.activation("expert_act", Pass::forward, activated), kModules), kRecomputeExpertAct));
    c.appendCast(out, Pass::forward, activated);
    out.push_back(
        spared(keeping(groupedGemm("expert_down", Pass::forward, s.rows, c.shape.hidden, s.ffn, s.groups, c.formats),
                       activated * c.operandSize()),
               kModules | kRecomputeExpertAct));
    appendCombine(out, c, s, Pass::forward);
    if (c.shape.sharedFfn > 0) {
        appendMlpForward(out, c, kShared, c.shape.sharedFfn, kModules);
        // The router's input serves them, too.
        for (std::size_t i = first; i < out.size(); ++i) {
            if (out[i].op.name == kShared.up) out[i].saved = Bytes(0.0);
        }
    }
    for (std::size_t i = first; i < out.size(); ++i) out[i] = repeatedBy(out[i], kModules);
}

void appendExpertsBackward(OpSequence& out, const LayerContext& c) {
    const ExpertSizes s(c);
    const double activated = s.worked * static_cast<double>(s.ffn);
    const std::int64_t up = c.upWidth(s.ffn);
    if (c.shape.sharedFfn > 0) appendMlpBackward(out, c, kShared, c.shape.sharedFfn);
    appendDispatch(out, c, s, Pass::backwardInput);
    c.appendCast(out, Pass::backwardInput, s.worked * s.hidden);
    out.push_back(groupedGemm("expert_down", Pass::backwardInput, s.rows, s.ffn, c.shape.hidden, s.groups, c.formats));
    out.push_back(groupedGemm("expert_down", Pass::backwardWeight, s.ffn, c.shape.hidden, s.rows, s.groups, c.formats));
    out.push_back(c.activation("expert_act", Pass::backwardInput, activated));
    c.appendCast(out, Pass::backwardInput, s.worked * static_cast<double>(up));
    out.push_back(groupedGemm("expert_up", Pass::backwardInput, s.rows, c.shape.hidden, up, s.groups, c.formats));
    out.push_back(groupedGemm("expert_up", Pass::backwardWeight, c.shape.hidden, up, s.rows, s.groups, c.formats));
    appendCombine(out, c, s, Pass::backwardInput);
    out.push_back(memoryOp("router_topk", OpClass::elementwise, Pass::backwardInput, 3.0 * kFloat * s.logits,
                           kRouterFlops * s.logits, c.formats));
    out.push_back(routerGemm(c, Pass::backwardInput));
    out.push_back(routerGemm(c, Pass::backwardWeight));
}

}  // namespace orrery
