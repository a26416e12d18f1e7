#include "model/memory/stage_parameters.hpp"

namespace orrery {

std::vector<StageParameters> stageParameters(const ModelSpec& model, const ParallelPlan& plan) {
    std::vector<StageParameters> stages(static_cast<std::size_t>(plan.pp));
    const std::vector<int> layers = plan.stageLayers(model.layers);
    const double perLayer = layerParameters(model, 0).perRank(plan.tp);
    for (std::size_t slot = 0; slot < layers.size(); ++slot) {
        StageParameters& stage = stages[slot % stages.size()];
        stage.layers += layers[slot] * perLayer;
        stage.layerCount += layers[slot];
    }
    stages.front().embedding = embeddingParameters(model).perRank(plan.tp);
    ParameterCount head = headParameters(model);
    if (model.tiedEmbeddings && plan.pp == 1) head = normParameters(model);
    stages.back().head = head.perRank(plan.tp);
    return stages;
}

}  // namespace orrery
