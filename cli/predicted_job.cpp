#include "cli/predicted_job.hpp"

namespace orrery::cli {

PredictedJob predictJob(const ScenarioOptions& options) {
    PredictedJob job;
    std::string calibrationName;
    job.scenario = loadScenario(options, calibrationName);
    job.scenario.calibration.name = calibrationName;  // the report says where the times come from
    job.prediction = predict(job.scenario, {.timeline = true, .operatorSpans = true});
    return job;
}

}  // namespace orrery::cli
