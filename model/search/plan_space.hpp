// Which plans a search looks at: a list of values for each dimension of a plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/spec/parallel_plan.hpp"

namespace orrery {

/// How layers are divided over the positions of a pipeline: evenly, or with embedding and output layer counted as one
/// layer each (Megatron-LM's --account-for-embedding-in-pipeline-split and -loss-).
enum class LayerSplit : std::uint8_t { even, edgesAsLayers };

/// The product of these lists; an empty list is filled by openDimensions(), except dp, which is then what the other
/// sizes leave of the GPUs.
struct PlanSpace {
    ParallelPlan base;  ///< everything that is not listed below
    std::vector<int> tp, pp, vpp, dp, cp, ep, etp, microBatch;
    std::vector<ScheduleKind> schedule;
    std::vector<Recompute> recompute;
    std::vector<Sharding> sharding;
    std::vector<LayerSplit> split;
    std::vector<std::uint8_t> sequenceParallel;  ///< 0 or 1, where tp > 1
};

/// What a search needs to know of the job beside the model to fill in lists.
struct JobSize {
    int gpus = 1;
    std::int64_t sequenceLength = 1;
    std::int64_t globalBatch = 0;  ///< sequences of a step; 0: documents come in micro-batches that are not divided
};

/// Fills in the empty lists with every value that can be legal: divisors of heads, layers, experts, batch and GPUs; of
/// schedules 1F1B and interleaved 1F1B; the three modes of recomputation; ZeRO 0 to 2; sequence parallelism wherever
/// there is tensor parallelism, since it moves the same bytes and saves memory (Korthikanti et al. 2022). Context
/// parallelism leaves each rank 2,048 tokens or more, below which splitting only costs; micro-batches have up to 64
/// sequences.
void openDimensions(PlanSpace& space, const ModelSpec& model, const JobSize& job);

/// All named schedules but GPipe, which 1F1B equals in time and beats in memory (Narayanan et al. 2021, arXiv
/// 2104.04473, section 2.2).
[[nodiscard]] std::vector<ScheduleKind> allSchedules();

}  // namespace orrery
