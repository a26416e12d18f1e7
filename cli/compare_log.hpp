// A prediction held against what a training program printed.
#pragma once

#include "cli/predicted_job.hpp"
#include "importers/training_log/training_log.hpp"

namespace orrery::cli {

/// Prints step time, rate and memory, predicted and measured, and the program's timers. `skip`: steps at the start that
/// do not count. Throws InputError when no steps are left.
void compareLog(const std::filesystem::path& file, const ScenarioOptions& options, int skip, bool json);

}  // namespace orrery::cli
