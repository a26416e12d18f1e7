#include "model/predict/published_flops.hpp"

#include "model/predict/model_flops.hpp"

namespace orrery {
namespace {

/// Forward FLOPs of a token of a full sequence, all pairs counted.
double forwardPerToken(const ModelSpec& model, std::int64_t sequence) {
    return forwardFlops(model, 1.0, static_cast<double>(sequence)).value();
}

double outputPerToken(const ModelSpec& model) {
    return 2.0 * static_cast<double>(model.vocab) * static_cast<double>(model.hidden);
}

}  // namespace

Flops megatronFlopsPerToken(const ModelSpec& model, std::int64_t sequence) {
    return Flops(3.0 * forwardPerToken(model, sequence));
}

Flops megatronRecomputeFlopsPerToken(const ModelSpec& model, std::int64_t sequence) {
    return Flops(4.0 * forwardPerToken(model, sequence) - outputPerToken(model));
}

}  // namespace orrery
