// [plan] of a scenario. Internal to data/scenario.
#pragma once

#include <optional>
#include <string>

#include <toml++/toml.h>

#include "model/spec/parallel_plan.hpp"

namespace orrery {

struct PlanTable {
    ParallelPlan plan;
    std::optional<std::int64_t> microBatch;  ///< may stand here or in [workload]
};

/// `dp` follows from the GPUs when it is not given. Throws InputError.
[[nodiscard]] PlanTable readPlan(const toml::table& table, const std::string& file, int gpus);

}  // namespace orrery
