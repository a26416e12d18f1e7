#include "cli/scenario_options.hpp"

#include "data/calibration/calibration_file.hpp"
#include "data/scenario/complete_scenario.hpp"
#include "data/scenario/scenario_file.hpp"

namespace orrery::cli {

void addScenarioOptions(CLI::App& command, ScenarioOptions& options) {
    command.add_option("scenario", options.scenario, "scenario file (TOML)")->required();
    command.add_option("--calibration", options.calibration, "made by 'orrery calibrate'; replaces the scenario's own");
}

Scenario loadScenario(const ScenarioOptions& options, std::string& calibrationName) {
    Scenario scenario = readScenario(options.scenario);
    if (!options.calibration.empty()) {
        scenario.calibration = readCalibration(options.calibration);
        calibrationName = options.calibration.string();
        return scenario;
    }
    calibrationName = completeScenario(scenario);
    return scenario;
}

}  // namespace orrery::cli
