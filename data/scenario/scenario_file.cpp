#include "data/scenario/scenario_file.hpp"

#include "data/scenario/plan_table.hpp"
#include "data/scenario/scenario_tables.hpp"
#include "data/scenario/workload_table.hpp"

namespace orrery {

Scenario readScenario(const std::filesystem::path& path, const Catalog& catalog,
                      const std::vector<Override>& overrides) {
    const std::string file = path.string();
    toml::table root = parseTomlFile(path);
    apply(root, overrides);
    const ScenarioTables tables = readTables(root, file, path.stem().string());
    Scenario scenario;
    scenario.name = tables.name;
    scenario.model = readModel(*tables.model, file, catalog);
    scenario.cluster = readCluster(*tables.cluster, tables.plan, file, catalog);
    const toml::table noPlan;
    const PlanTable planTable = readPlan(tables.plan != nullptr ? *tables.plan : noPlan, file, scenario.cluster.gpus);
    scenario.plan = planTable.plan;
    inFile(file, [&] { validate(scenario.plan, scenario.model, scenario.cluster); });
    scenario.workload = readWorkload(*tables.workload, file, scenario.plan.dp, planTable.microBatch);
    if (tables.framework != nullptr)
        scenario.runtime = readFramework(*tables.framework, file, scenario.cluster.gpu.name, catalog);
    if (tables.calibration != nullptr) scenario.calibration = readCalibrationTable(*tables.calibration, file);
    return scenario;
}

}  // namespace orrery
