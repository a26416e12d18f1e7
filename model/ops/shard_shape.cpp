#include "model/ops/shard_shape.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

std::vector<DocumentRun> runsOf(const MicroBatch& microBatch) {
    std::vector<std::int64_t> lengths = microBatch.documents;
    std::sort(lengths.begin(), lengths.end());
    std::vector<DocumentRun> runs;
    for (const std::int64_t length : lengths) {
        if (runs.empty() || runs.back().length != length) runs.push_back({length, 0});
        ++runs.back().count;
    }
    return runs;
}

/// Query-key pairs under a causal mask that reaches `window` tokens back.
double pairsInWindow(const std::vector<DocumentRun>& runs, std::int64_t window) {
    double pairs = 0.0;
    for (const DocumentRun& run : runs) {
        const auto inside = static_cast<double>(std::min(run.length, window));
        const double outside = static_cast<double>(run.length) - inside;
        pairs += static_cast<double>(run.count) * (inside * (inside + 1.0) / 2.0 + outside * inside);
    }
    return pairs;
}

void shardExperts(ShardShape& shape, const ModelSpec& model, const ParallelPlan& plan) {
    const MoeSpec& moe = model.moe;
    shape.routedTokens = shape.shardTokens;
    shape.dispatchedTokens = shape.routedTokens * static_cast<double>(moe.topK);
    shape.localExperts = moe.experts / plan.ep;
    shape.expertFfn = moe.ffnHidden / plan.etp;
    shape.sharedFfn = moe.sharedFfn / plan.tp;
    // Every expert-parallel rank sends as much, so a rank receives on average what it sends; expert-tensor-parallel
    // ranks pool what they receive. Without sequence parallelism they hold the same tokens, which are sent once.
    const double pooled = plan.sequenceParallel || plan.tp == 1 ? plan.etp : 1.0;
    const double factor = moe.capacityFactor > 0.0 ? moe.capacityFactor : moe.loadImbalance;
    const double perExpert =
        shape.dispatchedTokens * pooled * factor / static_cast<double>(std::max<std::int64_t>(1, shape.localExperts));
    shape.tokensPerExpert = static_cast<std::int64_t>(std::ceil(perExpert - 1e-9));
}

}  // namespace

ShardShape shardShape(const ModelSpec& model, const ParallelPlan& plan, const MicroBatch& microBatch) {
    ShardShape shape;
    shape.tokens = ceilDiv(microBatch.tokens(), plan.cp);
    shape.shardTokens = static_cast<double>(shape.tokens) / sequenceShards(plan);
    shape.pairs = microBatch.causalPairs() / plan.cp;
    shape.runs = runsOf(microBatch);
    if (model.slidingWindow > 0) shape.windowPairs = pairsInWindow(shape.runs, model.slidingWindow) / plan.cp;
    shape.longest = shape.runs.empty() ? 0 : shape.runs.back().length;
    shape.hidden = model.hidden;
    shape.heads = model.heads / plan.tp;
    shape.kvHeads = std::max<std::int64_t>(1, model.kvHeads / plan.tp);
    shape.headDim = model.headDim;
    shape.valueDim = model.headDim;
    if (model.attention == AttentionKind::latent) {
        shape.kvHeads = shape.heads;
        shape.headDim = model.headDim + model.latent.ropeHeadDim;
        shape.valueDim = model.latent.valueHeadDim;
    }
    shape.ffn = model.ffnHidden / plan.tp;
    shape.vocab = ceilDiv(model.vocab, plan.tp);
    if (model.moe.experts > 0) shardExperts(shape, model, plan);
    return shape;
}

}  // namespace orrery
