// A policy's micro-batches, judged: what its steps take on a plan, and where they are uneven.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/imbalance/imbalance.hpp"

namespace orrery {

/// Means over steps, weighted alike; tokens are sums over steps.
struct PackingScore {
    std::int64_t steps = 0;
    Seconds step{};
    double tokensPerSecond = 0.0;  ///< real tokens of all steps over the time of all steps
    double bubbleFraction = 0.0;
    double dp = 1.0, microBatches = 1.0, stages = 1.0;  ///< max over mean
    double cpPerSequence = 1.0, cpPerDocument = 1.0;    ///< max over mean, by how packs are split
    std::map<std::string, Seconds> cost;                ///< per source of imbalance
    std::int64_t tokens = 0;                            ///< real ones
    std::int64_t padding = 0;
    Bytes peakMemory{};
};

/// Predicts every step of `packing`. Zero steps give a score of zeros. Throws InputError as predict does.
[[nodiscard]] PackingScore scoreOf(const Packing& packing, std::int64_t contextLength, const ModelSpec& model,
                                   const ParallelPlan& plan, const CostModel& cost);

/// The problem that a scenario poses: context length, capacity and count of packs as its own workload has them, and the
/// plan's cost law.
[[nodiscard]] PackingProblem packingProblem(const Scenario& scenario, const CostModel& cost);

}  // namespace orrery
