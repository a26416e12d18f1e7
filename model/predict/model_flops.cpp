#include "model/predict/model_flops.hpp"

#include "model/spec/parameter_counts.hpp"

namespace orrery {
namespace {

double pairsOf(const Workload& workload) {
    double pairs = 0.0;
    for (const auto& replica : workload.replicas) {
        for (const MicroBatch& microBatch : replica) pairs += microBatch.causalPairs();
    }
    return pairs;
}

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

Flops modelFlops(const ModelSpec& model, const Workload& workload) {
    return 3.0 * forwardFlops(model, static_cast<double>(workload.tokens()), pairsOf(workload));
}

Flops hardwareFlops(const ModelSpec& model, const ParallelPlan& plan, const Workload& workload) {
    Flops flops = modelFlops(model, workload);
    if (plan.recompute == Recompute::none) return flops;
    flops += Flops(attentionFlops(model, pairsOf(workload)));
    if (plan.recompute == Recompute::full) {
        flops += Flops(2.0 * static_cast<double>(workload.tokens()) * layerMatrixWeights(model));
    }
    return flops;
}

}  // namespace orrery
