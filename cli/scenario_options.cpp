#include "cli/scenario_options.hpp"

#include "cli/shipped_calibration.hpp"
#include "data/calibration/calibration_file.hpp"
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
    if (!scenario.calibration.devices.empty() || !scenario.calibration.collectives.empty()) {
        calibrationName = scenario.calibration.name.empty() ? "of the scenario" : scenario.calibration.name;
        return scenario;
    }
    Calibration shipped = shippedCalibration();
    if (shipped.sourcesFor(scenario.cluster.gpu.name).empty()) {
        calibrationName = "none (data sheets)";
        return scenario;
    }
    scenario.calibration = std::move(shipped);
    calibrationName = "shipped (published kernel tables)";
    return scenario;
}

}  // namespace orrery::cli
