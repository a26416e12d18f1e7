// What follows the last micro-batch: gradient reduction, gradient norm, optimizer, gathering of updated weights.
#pragma once

#include <vector>

#include "model/memory/stage_parameters.hpp"
#include "model/predict/sequence_cost.hpp"

namespace orrery {

/// Costs of the end of a step on one stage, as far as they are in the open.
struct StageEndCosts {
    double reduce = 0.0;  ///< of gradients over the data-parallel group
    OpClass reduceKind = OpClass::allReduce;
    double embeddingReduce = 0.0;  ///< of the tied embedding between first and last stage
    double norm = 0.0;             ///< kernel of the gradient norm
    double normReduce = 0.0;       ///< its sum over all ranks
    double optimizer = 0.0;
    double host = 0.0;
    double gather = 0.0;  ///< of updated weights (ZeRO-1, ZeRO-2)
    double sigmaSeconds = 0.0;
};

/// Windows in which communication can hide: backward pass of the last micro-batch, forward pass of the first.
struct HidingWindows {
    double lastBackward = 0.0, firstForward = 0.0;
};

/// With overlap, a reduction R in n buckets (one a layer) starts when the first bucket's gradients exist; what shows is
/// max(R/n, R - W (n-1)/n) of it, W the backward pass of the stage's last micro-batch. The same for the gather of
/// updated weights under the forward pass of the next step's first micro-batch.
[[nodiscard]] StageEndCosts stageEndCosts(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost,
                                          const PlanGroups& groups, const StageParameters& parameters,
                                          const HidingWindows& windows, double speed);

/// When each part of the end of the step begins on each stage, and when the step ends.
struct StepEndTimes {
    std::vector<double> tasksDone, reduced, normed, updateBegin, updated, gathered;
    double step = 0.0;
};

/// `lastTask[stage]`: when the slowest replica has finished the stage's tasks.
[[nodiscard]] StepEndTimes stepEndTimes(const std::vector<double>& lastTask, const std::vector<StageEndCosts>& costs,
                                        bool clipGradients);

}  // namespace orrery
