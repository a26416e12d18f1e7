#include "model/spec/parameter_counts.hpp"

namespace orrery {
namespace {

double number(std::int64_t value) {
    return static_cast<double>(value);
}

/// Latent attention, DeepSeek-V2 (arXiv 2405.04434, section 2.1): down-projections with a norm each, up-projections to
/// heads.
ParameterCount latentAttentionParameters(const ModelSpec& model) {
    const double hidden = number(model.hidden);
    const double heads = number(model.heads);
    const double queryRank = number(model.latent.queryRank);
    const double kvRank = number(model.latent.kvRank);
    const double rope = number(model.latent.ropeHeadDim);
    const double queryWidth = heads * (number(model.headDim) + rope);
    const double valueWidth = heads * number(model.latent.valueHeadDim);
    ParameterCount count;
    count.divided = (queryRank > 0.0 ? queryRank : hidden) * queryWidth;
    count.repeated = queryRank > 0.0 ? hidden * queryRank + queryRank : 0.0;
    count.repeated += hidden * (kvRank + rope) + kvRank;
    count.divided += kvRank * (heads * number(model.headDim) + valueWidth) + valueWidth * hidden;
    return count;
}

}  // namespace

ParameterCount normParameters(const ModelSpec& model) {
    return {0.0, number(model.hidden) * (model.norm == NormKind::layerNorm ? 2.0 : 1.0)};
}

ParameterCount attentionParameters(const ModelSpec& model) {
    if (model.attention == AttentionKind::latent) return latentAttentionParameters(model);
    const double hidden = number(model.hidden);
    const double queryWidth = number(model.heads * model.headDim);
    const double qkvWidth = queryWidth + 2.0 * number(model.kvHeads * model.headDim);
    ParameterCount count{hidden * (qkvWidth + queryWidth), 0.0};
    if (model.biases) count += {qkvWidth, hidden};
    return count;
}

ParameterCount mlpParameters(const ModelSpec& model, std::int64_t ffnHidden) {
    const double hidden = number(model.hidden);
    const double up = (model.gatedMlp ? 2.0 : 1.0) * number(ffnHidden);
    ParameterCount count{hidden * (up + number(ffnHidden)), 0.0};
    if (model.biases) count += {up, hidden};
    return count;
}

ParameterCount expertParameters(const ModelSpec& model) {
    return {0.0, 0.0, number(model.moe.experts) * mlpParameters(model, model.moe.ffnHidden).total()};
}

ParameterCount stateSpaceParameters(const ModelSpec& model) {
    const StateSpaceSpec& s = model.stateSpace;
    const double hidden = number(model.hidden);
    const double heads = number(s.heads);
    const double inner = heads * number(s.headDim);
    const double shared = 2.0 * number(s.groups * s.stateDim);  // B and C, or keys and queries
    ParameterCount count;
    count.divided = hidden * (2.0 * inner + shared + heads) + number(s.convWidth) * (inner + shared) + inner * hidden;
    count.divided += 3.0 * heads + inner;  // decay, skip, time step; gated norm
    return count;
}

ParameterCount layerParameters(const ModelSpec& model, const LayerKind& kind) {
    ParameterCount count = kind.norms() * normParameters(model);
    if (kind.attends()) count += attentionParameters(model);
    if (kind.mixer == Mixer::stateSpace) count += stateSpaceParameters(model);
    if (kind.feedForward == FeedForward::dense) count += mlpParameters(model, model.ffnHidden);
    if (kind.feedForward == FeedForward::experts) {
        const ParameterCount router{0.0, number(model.hidden * model.moe.experts)};
        count += router + expertParameters(model);
        if (model.moe.sharedFfn > 0) count += mlpParameters(model, model.moe.sharedFfn);
    }
    return count;
}

ParameterCount mtpParameters(const ModelSpec& model) {
    return layerParameters(model, layerKind(model, model.layers)) + 2.0 * normParameters(model) +
           ParameterCount{2.0 * number(model.hidden) * number(model.hidden), 0.0};
}

ParameterCount embeddingParameters(const ModelSpec& model) {
    const double positions = model.learnedPositions ? number(model.maxPositions) : 0.0;
    return {number(model.vocab) * number(model.hidden), positions * number(model.hidden)};
}

ParameterCount headParameters(const ModelSpec& model) {
    return normParameters(model) + ParameterCount{number(model.vocab) * number(model.hidden), 0.0};
}

double parameterCount(const ModelSpec& model) {
    ParameterCount count = embeddingParameters(model) + headParameters(model);
    if (model.tiedEmbeddings) count.divided -= number(model.vocab) * number(model.hidden);
    const LayerMix mix = layerMix(model, {static_cast<int>(model.layers)});
    for (std::size_t i = 0; i < mix.kinds.size(); ++i) count += mix.of(0, i) * layerParameters(model, mix.kinds[i]);
    return (count + number(model.mtpLayers) * mtpParameters(model)).total();
}

}  // namespace orrery
