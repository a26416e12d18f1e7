// Scenario file and calibration to a prediction with its timeline, for the commands that hold it against a recording.
#pragma once

#include "cli/scenario_options.hpp"
#include "model/predict/prediction.hpp"

namespace orrery::cli {

struct PredictedJob {
    Scenario scenario;
    Prediction prediction;  ///< with timeline and operator spans
};

/// Reads and predicts. Throws InputError.
[[nodiscard]] PredictedJob predictJob(const ScenarioOptions& options);

}  // namespace orrery::cli
