// What every command that predicts takes: a scenario file and, perhaps, a calibration in place of the scenario's own.
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include "model/predict/prediction.hpp"

namespace orrery::cli {

struct ScenarioOptions {
    std::filesystem::path scenario, calibration;
};

/// Adds the positional SCENARIO and --calibration.
void addScenarioOptions(CLI::App& command, ScenarioOptions& options);

/// The scenario with its calibration: the one of the option, of the file, or the shipped one where that knows the GPU.
/// `calibrationName` says which.
[[nodiscard]] Scenario loadScenario(const ScenarioOptions& options, std::string& calibrationName);

}  // namespace orrery::cli
