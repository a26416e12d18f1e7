#include "model/memory/stage_parameters.hpp"

#include "model/spec/stage_layout.hpp"

namespace orrery {

std::vector<StageParameters> stageParameters(const ModelSpec& model, const ParallelPlan& plan) {
    std::vector<StageParameters> stages(static_cast<std::size_t>(plan.pp));
    const Placement placement = placementOf(plan);
    /// Calls `change` with each stage that holds a slot.
    const auto onHolders = [&](std::size_t slot, const auto& change) {
        const int stage = stageOfSlot(placement, plan.pp, static_cast<int>(slot));
        change(stages[static_cast<std::size_t>(stage)]);
        if (placement == Placement::mirror) change(stages[static_cast<std::size_t>(plan.pp - 1 - stage)]);
    };
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
            onHolders(slot, [&](StageParameters& stage) { add(stage, count, mix.of(slot, kind)); });
    }
    for (std::size_t slot = 0; slot < layers.size(); ++slot)
        onHolders(slot, [&](StageParameters& stage) { stage.layerCount += layers[slot]; });
    const bool together = edgesTogether(plan);
    const double embedding = embeddingParameters(model).perRank(plan.tp);
    const double head =
        (model.tiedEmbeddings && together ? normParameters(model) : headParameters(model)).perRank(plan.tp);
    onHolders(0, [&](StageParameters& stage) { stage.embedding += embedding; });
    onHolders(layers.size() - 1, [&](StageParameters& stage) { stage.head += head; });
    if (model.mtpLayers == 0) return stages;
    onHolders(static_cast<std::size_t>(mtpSlotOf(plan)), [&](StageParameters& stage) {
        add(stage, mtpParameters(model), static_cast<double>(model.mtpLayers));
        // Multi-token prediction embeds tokens where its layers are, too.
        if (stage.embedding == 0.0) stage.embedding = embedding;
    });
    return stages;
}

}  // namespace orrery
