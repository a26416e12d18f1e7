#include "model/spec/parameter_counts.hpp"

#include <algorithm>

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
    return number(model.moe.experts) * mlpParameters(model, model.moe.ffnHidden);
}

ParameterCount layerParameters(const ModelSpec& model, std::int64_t index) {
    const ParameterCount outside = 2.0 * normParameters(model) + attentionParameters(model);
    if (model.moe.experts == 0 || index < model.moe.denseLayers) return outside + mlpParameters(model, model.ffnHidden);
    const ParameterCount router{0.0, number(model.hidden * model.moe.experts)};
    return outside + router + expertParameters(model) + mlpParameters(model, model.moe.sharedFfn);
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
    const std::int64_t dense = model.moe.experts == 0 ? model.layers : std::min(model.moe.denseLayers, model.layers);
    if (dense > 0) count += number(dense) * layerParameters(model, 0);
    if (model.layers > dense) count += number(model.layers - dense) * layerParameters(model, dense);
    // Multi-token prediction, DeepSeek-V3 (arXiv 2412.19437, section 2.2): a layer, a 2h x h projection, two norms.
    const ParameterCount mtp = layerParameters(model, model.layers) + 2.0 * normParameters(model) +
                               ParameterCount{2.0 * number(model.hidden) * number(model.hidden), 0.0};
    return (count + number(model.mtpLayers) * mtp).total();
}

}  // namespace orrery
