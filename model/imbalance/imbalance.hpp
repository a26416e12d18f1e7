// How uneven a step is and what each kind of unevenness costs: the pipelines are simulated again with one source after
// the other evened out. Memory and the end of the step are left to model/predict.
#pragma once

#include <string_view>
#include <vector>

#include "model/packing/packing.hpp"
#include "model/predict/prediction.hpp"

namespace orrery {

/// One source of imbalance.
struct ImbalanceSource {
    std::string_view name;  ///< "dp", "micro_batches", "cp", "stages", "devices"
    double maxOverMean = 1.0;
    Seconds cost{};  ///< pipelines' time less what they take with this source alone evened out; not below 0
};

/// Sources:
/// - dp: work of a replica against the mean of replicas; evened by scaling each replica's tasks;
/// - micro_batches: work of a micro-batch against the mean of its replica (mean over replicas); each task takes the
///   mean of its replica, stage and kind;
/// - cp: causal pairs of context-parallel ranks when each pack is cut into 2 cp chunks, of which rank i takes chunks i
///   and 2 cp - 1 - i (Megatron's split; mean over packs); its cost is the attention that the slowest rank has more
///   than the mean, by the cost law of `packCost`; predictions take the split as even, so it is not in the step;
/// - stages: work of a stage against the mean of stages;
/// - devices: slow devices by ClusterSpec::deviceSpeed.
/// `even` is the pipelines' time with all of dp, micro_batches, stages and devices evened out.
struct Imbalance {
    Seconds pipelines{};  ///< of the slowest replica, first task to last, without the end of the step
    Seconds even{};
    std::vector<ImbalanceSource> sources;
};

/// Throws InputError when plan, model, cluster and workload do not fit (as predict does).
[[nodiscard]] Imbalance imbalanceOf(const ModelSpec& model, const ParallelPlan& plan, const Workload& workload,
                                    const CostModel& cost);

/// The cost law of packs of a plan on its busiest stage, from three packs of `tokens` tokens and less: one document,
/// documents of an eighth, and half of the tokens.
[[nodiscard]] PackCost packCost(const ModelSpec& model, const ParallelPlan& plan, std::int64_t tokens,
                                const CostModel& cost);

/// Causal pairs of the busiest rank over the mean when documents are split over `cp` ranks: the whole pack in 2 cp
/// chunks, or each document in 2 cp chunks (WLB-LLM, arXiv 2503.17924, section 5).
[[nodiscard]] double contextImbalance(const MicroBatch& pack, int cp, bool perDocument);

}  // namespace orrery
