// What a run is and did, for programs: losses and times of its steps, the documents of every micro-batch, and a
// scenario file so that `orrery predict` can answer for the same step.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/workload/batch.hpp"
#include "profiler/workload/trainer.hpp"

namespace orrery::workload {

/// Times of the measured steps.
struct StepTimes {
    double median = 0.0, smallest = 0.0, largest = 0.0;
};
[[nodiscard]] StepTimes measuredTimes(const JobConfig& config, const std::vector<StepResult>& results);

/// {"job":{...},"median_step_s","min_step_s","max_step_s","steps":[{"step","warmup","loss","seconds"}]}, one line.
[[nodiscard]] std::string resultsJson(const JobConfig& config, const std::vector<StepResult>& results);

/// {"job":{...},"steps":[{"step","warmup","replicas":[[[length, ...], ...], ...]}]}: replica, micro-batch, document.
[[nodiscard]] std::string documentsJson(const JobConfig& config, const Corpus& corpus);

/// The first measured step as a scenario for `orrery predict`.
[[nodiscard]] std::string scenarioToml(const JobConfig& config, const Corpus& corpus);

/// Writes beside `file` and renames. Throws InputError when that cannot be done.
void writeFile(const std::filesystem::path& file, const std::string& text);

}  // namespace orrery::workload
