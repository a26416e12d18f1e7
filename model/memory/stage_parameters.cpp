#include "model/memory/stage_parameters.hpp"

namespace orrery {

std::vector<StageParameters> stageParameters(const ModelSpec& model, const ParallelPlan& plan) {
    std::vector<StageParameters> stages(static_cast<std::size_t>(plan.pp));
    const std::vector<int> layers = plan.stageLayers(model.layers);
    const LayerMix mix = layerMix(model, layers);
    const double expertShards = static_cast<double>(plan.ep) * plan.etp;
    const auto add = [&](StageParameters& stage, const ParameterCount& count, double times) {
        stage.layers += times * count.perRank(plan.tp);
        stage.experts += times * count.experts / expertShards;
    };
    for (std::size_t kind = 0; kind < mix.kinds.size(); ++kind) {
        const ParameterCount count = layerParameters(model, mix.kinds[kind]);
        for (std::size_t slot = 0; slot < layers.size(); ++slot)
            add(stages[slot % stages.size()], count, mix.of(slot, kind));
    }
    for (std::size_t slot = 0; slot < layers.size(); ++slot) stages[slot % stages.size()].layerCount += layers[slot];
    if (model.mtpLayers > 0) add(stages.back(), mtpParameters(model), static_cast<double>(model.mtpLayers));
    stages.front().embedding = embeddingParameters(model).perRank(plan.tp);
    // Multi-token prediction embeds tokens on the last stage, too.
    if (model.mtpLayers > 0 && plan.pp > 1) stages.back().embedding += embeddingParameters(model).perRank(plan.tp);
    ParameterCount head = headParameters(model);
    if (model.tiedEmbeddings && plan.pp == 1) head = normParameters(model);
    stages.back().head = head.perRank(plan.tp);
    return stages;
}

}  // namespace orrery
