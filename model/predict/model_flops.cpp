#include "model/predict/model_flops.hpp"

#include <algorithm>

#include "model/spec/parameter_counts.hpp"

namespace orrery {
namespace {

double number(std::int64_t value) {
    return static_cast<double>(value);
}

/// Work of one layer of a kind in the forward pass.
struct LayerWork {
    double perToken = 0.0;  ///< matrix products with weights, and what a recurrence multiplies
    double perPair = 0.0;   ///< scores and values
};

LayerWork layerWork(const ModelSpec& model, const LayerKind& kind) {
    LayerWork work;
    if (kind.attends()) {
        work.perToken += 2.0 * attentionParameters(model).total();
        const bool latent = model.attention == AttentionKind::latent;
        const std::int64_t query = model.headDim + (latent ? model.latent.ropeHeadDim : 0);
        const std::int64_t value = latent ? model.latent.valueHeadDim : model.headDim;
        if (latent) work.perToken -= 2.0 * number(model.latent.queryRank + model.latent.kvRank);  // norms
        work.perPair = 2.0 * number(model.heads * (query + value));
    }
    if (kind.mixer == Mixer::stateSpace) {
        const StateSpaceSpec& s = model.stateSpace;
        const double inner = number(s.heads * s.headDim);
        work.perToken += 2.0 * number(model.hidden) * (3.0 * inner + 2.0 * number(s.groups * s.stateDim + s.heads / 2));
        work.perToken += 4.0 * inner * number(s.stateDim);  // states in and out; the linear form, no chunks
    }
    if (kind.feedForward == FeedForward::dense) work.perToken += 2.0 * mlpParameters(model, model.ffnHidden).total();
    if (kind.feedForward == FeedForward::experts) {
        const MoeSpec& moe = model.moe;
        work.perToken += 2.0 * mlpParameters(model, moe.topK * moe.ffnHidden + moe.sharedFfn).total() +
                         2.0 * number(model.hidden * moe.experts);
    }
    return work;
}

double pairsSeen(const ModelSpec& model, const LayerKind& kind, double tokens, double pairs) {
    return kind.mixer == Mixer::window ? std::min(pairs, tokens * number(model.slidingWindow)) : pairs;
}

/// Forward FLOPs of all layers; `pairs` of full attention. Windowed layers are counted with the pairs of their window
/// as far as the mean document reaches past it.
struct ForwardWork {
    double layers = 0.0, attention = 0.0;
};
ForwardWork forwardWork(const ModelSpec& given, double tokens, double pairs) {
    ModelSpec model = given;
    model.biases = false;
    const LayerMix mix = layerMix(model, {static_cast<int>(model.layers)});
    ForwardWork sum;
    const auto add = [&](const LayerKind& kind, double layers) {
        const LayerWork work = layerWork(model, kind);
        sum.layers += layers * tokens * work.perToken;
        sum.attention += layers * pairsSeen(model, kind, tokens, pairs) * work.perPair;
    };
    for (std::size_t i = 0; i < mix.kinds.size(); ++i) add(mix.kinds[i], mix.of(0, i));
    if (model.mtpLayers > 0) {
        const double mtp = number(model.mtpLayers);
        add(layerKind(model, model.layers), mtp);
        sum.layers += mtp * tokens * 4.0 * number(model.hidden * model.hidden);
    }
    return sum;
}

double outputFlops(const ModelSpec& model, double tokens) {
    return 2.0 * tokens * (1.0 + number(model.mtpLayers)) * number(model.vocab) * number(model.hidden);
}

}  // namespace

Flops layerForwardFlops(const ModelSpec& model, const LayerKind& kind, double tokens, double pairs) {
    const LayerWork work = layerWork(model, kind);
    return Flops(tokens * work.perToken + pairsSeen(model, kind, tokens, pairs) * work.perPair);
}

Flops forwardFlops(const ModelSpec& model, double tokens, double pairs) {
    const ForwardWork work = forwardWork(model, tokens, pairs);
    return Flops(work.layers + work.attention + outputFlops(model, tokens));
}

Flops modelFlops(const ModelSpec& model, double tokens, double pairs) {
    return 3.0 * forwardFlops(model, tokens, pairs);
}

Flops hardwareFlops(const ModelSpec& model, const ParallelPlan& plan, double tokens, double pairs) {
    const Flops flops = modelFlops(model, tokens, pairs);
    if (plan.recompute == Recompute::none) return flops;
    const ForwardWork work = forwardWork(model, tokens, pairs);
    if (plan.recompute == Recompute::full) return flops + Flops(work.attention + work.layers);
    return (plan.recomputeModules & kRecomputeCoreAttention) != 0 ? flops + Flops(work.attention) : flops;
}

}  // namespace orrery
