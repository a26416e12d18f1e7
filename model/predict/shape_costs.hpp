// Costs of the parts of a model for one micro-batch shape: one layer of each kind, embedding, output layer.
#pragma once

#include <vector>

#include "model/memory/activations.hpp"
#include "model/predict/sequence_cost.hpp"
#include "model/spec/workload.hpp"

namespace orrery {

/// Costs of one layer of a kind.
struct LayerCosts {
    CostVector forward, recompute, backward, weight;
    LayerActivations activations;
};

/// Costs of the parts of a stage for one micro-batch shape.
struct ShapeCosts {
    std::vector<LayerCosts> layers;  ///< per kind of the model's LayerMix
    CostVector embeddingForward, embeddingBackward;
    CostVector headForward, headBackward, headWeight;
    CostVector mtpForward, mtpBackward;  ///< in front of a multi-token-prediction layer
    Bytes embeddingSaved{};              ///< the first stage's extra
    Bytes headSaved{};                   ///< the last stage's extra: final norm, output layer's input, float32 logits
    Bytes mtpSaved{};
    Bytes working{};       ///< of the layer kind that holds most during its backward pass
    Bytes headWorking{};   ///< the output layer's
    Bytes placeholders{};  ///< of weight gradients of all kinds of layer; 0 where the runtime has none
    Bytes headPlaceholder{};
    double transferBytes = 0.0;  ///< hidden states as the next stage holds them
    Seconds transferGather{};    ///< joining a transfer that tensor-parallel ranks have split
};

/// Costs a micro-batch on layers of `kinds`. `split`: the weight half of the backward pass stands for itself.
[[nodiscard]] ShapeCosts shapeCosts(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost,
                                    const PlanGroups& groups, const std::vector<LayerKind>& kinds,
                                    const MicroBatch& microBatch, bool split);

/// The plan with everything set to a plain value that shapeCosts() does not look at: plans that agree in it have equal
/// costs of parts. A property test holds it to that.
[[nodiscard]] ParallelPlan plainOfParts(const ParallelPlan& plan, const ModelSpec& model, bool split);

}  // namespace orrery
