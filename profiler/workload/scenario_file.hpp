// Describes the job for the predictor: a scenario file with exactly the documents that the steps train on.
#pragma once

#include <filesystem>

#include "profiler/workload/config.hpp"

namespace orrery::workload {

/// Writes the scenario of step `step` (TOML, docs/cli.md). Throws InputError when the file cannot be written.
void writeScenario(const std::filesystem::path& file, const JobConfig& config, int step);

}  // namespace orrery::workload
