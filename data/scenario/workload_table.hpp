// [workload] of a scenario. Internal to data/scenario.
#pragma once

#include <optional>
#include <string>

#include <toml++/toml.h>

#include "model/spec/workload.hpp"

namespace orrery {

/// Fixed sequences (sequence_length, global_batch, micro_batch), documents listed per replica and micro-batch, or
/// documents from a file or a distribution, packed by concatenation.
/// Throws InputError.
[[nodiscard]] Workload readWorkload(const toml::table& table, const std::string& file, int dp,
                                    std::optional<std::int64_t> microBatchOfPlan);

}  // namespace orrery
