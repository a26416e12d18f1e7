#include "model/predict/model_flops.hpp"

#include "model/spec/parameter_counts.hpp"

namespace orrery {
namespace {

double attentionFlops(const ModelSpec& model, double pairs) {
    return 4.0 * pairs * static_cast<double>(model.heads * model.headDim * model.layers);
}

double layerMatrixWeights(const ModelSpec& model) {
    ModelSpec bare = model;
    bare.biases = false;
    return static_cast<double>(model.layers) *
           (attentionParameters(bare) + mlpParameters(bare, bare.ffnHidden)).total();
}

}  // namespace

Flops forwardFlops(const ModelSpec& model, double tokens, double pairs) {
    const double output = static_cast<double>(model.vocab) * static_cast<double>(model.hidden);
    return Flops(2.0 * tokens * (layerMatrixWeights(model) + output) + attentionFlops(model, pairs));
}

Flops modelFlops(const ModelSpec& model, double tokens, double pairs) {
    return 3.0 * forwardFlops(model, tokens, pairs);
}

Flops hardwareFlops(const ModelSpec& model, const ParallelPlan& plan, double tokens, double pairs) {
    Flops flops = modelFlops(model, tokens, pairs);
    if (plan.recompute == Recompute::none) return flops;
    flops += Flops(attentionFlops(model, pairs));
    if (plan.recompute == Recompute::full) flops += Flops(2.0 * tokens * layerMatrixWeights(model));
    return flops;
}

}  // namespace orrery
