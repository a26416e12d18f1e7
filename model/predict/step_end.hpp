// What follows the last micro-batch: gradient reduction, gradient norm, optimizer, gathering of updated weights.
#pragma once

#include <vector>

#include "model/memory/stage_parameters.hpp"
#include "model/predict/sequence_cost.hpp"

namespace orrery {

/// Costs of the end of a step on one stage. Whether something hides them is decided by the run, below.
struct StageEndCosts {
    double reduce = 0.0;  ///< of gradients over the data-parallel group; ZeRO-2 and 3 reduce with every micro-batch
    OpClass reduceKind = OpClass::allReduce;
    double reduceBytes = 0.0;      ///< full buffers of these reductions together
    double embeddingReduce = 0.0;  ///< of the tied embedding between first and last stage
    double norm = 0.0;             ///< kernel of the gradient norm
    double normReduce = 0.0;       ///< its sum over all ranks
    double optimizer = 0.0;
    double host = 0.0;
    double gather = 0.0;  ///< of updated weights (ZeRO-1, ZeRO-2)
    double gatherBytes = 0.0;
    double sigmaSeconds = 0.0;
};

/// `speed` is that of the stage's slowest device.
[[nodiscard]] StageEndCosts stageEndCosts(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost,
                                          const PlanGroups& groups, const StageParameters& parameters, double speed);

/// What shows of a gather G in n buckets (one a layer) beside a forward pass of W seconds: max(G/n, G - W (n-1)/n).
[[nodiscard]] double shownGather(double gather, double forward, int buckets);

/// One chunk's share of a gradient reduction: its last backward pass and the reduction's length.
struct ChunkReduction {
    double backwardBegin = 0.0, backwardEnd = 0.0;
    double reduce = 0.0;
    int buckets = 1;  ///< one a layer
};

/// When the last bucket is reduced. Buckets leave while the backward pass of the chunk's last micro-batch goes on: the
/// first when 1/n of it is done, the last when it ends; one reduction at a time. `chunks` by the end of that pass.
[[nodiscard]] double overlappedReduceEnd(const std::vector<ChunkReduction>& chunks);

/// When each part of the end of the step is over on each stage, and when the step ends.
struct StepEndTimes {
    std::vector<double> tasksDone, reduced, normed, updateBegin, updated, gathered;
    double step = 0.0;
};

/// `tasksDone` and `reduced`: when the slowest replica has finished the stage's tasks and their reduction.
/// `gatherAtEnd`: updated weights are gathered before the step ends, not beside the next one's forward pass.
[[nodiscard]] StepEndTimes stepEndTimes(std::vector<double> tasksDone, std::vector<double> reduced,
                                        const std::vector<StageEndCosts>& costs, bool clipGradients, bool gatherAtEnd);

}  // namespace orrery
