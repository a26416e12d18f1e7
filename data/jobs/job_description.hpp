// A training job as other programs describe it: what it says of model, plan and batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/spec/model_spec.hpp"
#include "model/spec/parallel_plan.hpp"

namespace orrery {

struct JobDescription {
    std::string format;  ///< "Hugging Face config", "Megatron-LM arguments", ...
    ModelSpec model;
    std::optional<ParallelPlan> plan;  ///< dp is 1 where the description leaves it to the number of GPUs
    std::optional<std::int64_t> sequenceLength, globalBatch, microBatch;
    std::vector<std::string> notes;  ///< what was assumed or has no counterpart here
};

}  // namespace orrery
