#include "profiler/workload/block.hpp"

#include <cmath>

#include "profiler/workload/annotations.hpp"
#include "profiler/workload/operators.hpp"

namespace orrery::workload {
namespace {

class LayerRange : nvtx::Range {
  public:
    explicit LayerRange(int layer)
        : Range(Annotations::instance().domain, Annotations::instance().layer, Annotations::instance().layerName,
                Annotations::instance().layerSchema, {layer}) {}
};

std::uint64_t weightSeed(std::uint64_t seed, int layer, int matrix) {
    return seed * 1'000'003ULL + static_cast<std::uint64_t>(layer) * 16 + static_cast<std::uint64_t>(matrix);
}

}  // namespace

Block::Block(const TransformerConfig& config, int layer, std::uint64_t seed) : config_(config), layer_(layer) {
    const float deviation = 1.0F / std::sqrt(static_cast<float>(config.hidden));
    const float scaled = deviation / std::sqrt(2.0F * static_cast<float>(config.layers));
    attentionNorm_ = Parameter::constant(1, config.hidden, 1.0F);
    qkv_ = Parameter::normal(config.hidden, config.qkvWidth(), deviation, weightSeed(seed, layer, 1));
    attentionOut_ = Parameter::normal(Eigen::Index{config.heads} * config.headDim(), config.hidden, scaled,
                                      weightSeed(seed, layer, 2));
    mlpNorm_ = Parameter::constant(1, config.hidden, 1.0F);
    gateUp_ = Parameter::normal(config.hidden, 2 * Eigen::Index{config.ffn}, deviation, weightSeed(seed, layer, 3));
    down_ = Parameter::normal(config.ffn, config.hidden, scaled, weightSeed(seed, layer, 4));
}

void Block::forward(std::span<const std::int64_t> documents, Matrix& x, BlockActivations& saved) const {
    const LayerRange range(layer_);
    const Annotations& names = Annotations::instance();
    saved.input = x;
    rmsNormForward(names.attentionNorm, saved.input, attentionNorm_, saved.normed, saved.inverseRms);
    linearForward(names.qkv, saved.normed, qkv_, saved.qkv);
    rotary(saved.qkv, documents, config_.heads + config_.kvHeads, config_.headDim(), false);
    attentionForward(config_, documents, saved.qkv, saved.attended, saved.attention);
    linearForward(names.attentionOut, saved.attended, attentionOut_, saved.projected);
    residualAdd(false, saved.projected, x);

    saved.middle = x;
    rmsNormForward(names.mlpNorm, saved.middle, mlpNorm_, saved.middleNormed, saved.middleInverseRms);
    linearForward(names.mlpGateUp, saved.middleNormed, gateUp_, saved.gateUp);
    swigluForward(saved.gateUp, saved.activated);
    linearForward(names.mlpDown, saved.activated, down_, saved.projected);
    residualAdd(false, saved.projected, x);
}

void Block::backward(std::span<const std::int64_t> documents, Matrix& dx, const BlockActivations& saved) {
    const LayerRange range(layer_);
    const Annotations& names = Annotations::instance();
    linearBackward(names.mlpDown, saved.activated, down_, dx, gradA_);
    swigluBackward(saved.gateUp, gradA_, gradB_);
    linearBackward(names.mlpGateUp, saved.middleNormed, gateUp_, gradB_, gradA_);
    rmsNormBackward(names.mlpNorm, saved.middle, mlpNorm_, saved.middleInverseRms, gradA_, branch_);
    residualAdd(true, branch_, dx);

    linearBackward(names.attentionOut, saved.attended, attentionOut_, dx, gradA_);
    attentionBackward(config_, documents, saved.qkv, saved.attended, saved.attention, gradA_, gradB_);
    rotary(gradB_, documents, config_.heads + config_.kvHeads, config_.headDim(), true);
    linearBackward(names.qkv, saved.normed, qkv_, gradB_, gradA_);
    rmsNormBackward(names.attentionNorm, saved.input, attentionNorm_, saved.inverseRms, gradA_, branch_);
    residualAdd(true, branch_, dx);
}

void Block::forEachParameter(const std::function<void(Parameter&)>& visit) {
    for (Parameter* parameter : {&attentionNorm_, &qkv_, &attentionOut_, &mlpNorm_, &gateUp_, &down_})
        visit(*parameter);
}

}  // namespace orrery::workload
