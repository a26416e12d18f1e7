#include "data/scenario/scenario_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "data/calibration/calibration_file.hpp"
#include "data/catalog/framework_table.hpp"
#include "data/catalog/spec_tables.hpp"
#include "data/scenario/plan_table.hpp"
#include "data/scenario/workload_table.hpp"
#include "data/toml/strict_table.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr std::int64_t kMostGpus = 10'000'000;

/// Runs a check of the model layer and puts the file's name in front of what it throws.
template <typename Check>
void inFile(const std::string& file, Check check) {
    try {
        check();
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", file, error.what()));
    }
}

ModelSpec readModel(const toml::table& table, const std::string& file, const Catalog& catalog) {
    StrictTable fields(table, "[model]", file);
    ModelSpec model;
    if (const auto preset = fields.text("preset")) {
        inFile(file, [&] { model = catalog.model(*preset); });
    }
    readModelFields(fields, file, model);
    fields.finish();
    inFile(file, [&] { validate(model); });
    return model;
}

/// GPUs that the plan's parallel sizes ask for, when they are all given.
std::optional<int> gpusOfPlan(const toml::table* plan) {
    if (plan == nullptr || !plan->contains("dp")) return std::nullopt;
    std::int64_t gpus = 1;
    for (const std::string_view key : {"tp", "pp", "dp", "cp"}) {
        const std::int64_t size = (*plan)[key].value_or<std::int64_t>(1);
        if (size < 1 || size > kMostGpus || gpus * size > kMostGpus) return std::nullopt;
        gpus *= size;
    }
    return static_cast<int>(gpus);
}

ClusterSpec readCluster(const toml::table& table, const toml::table* plan, const std::string& file,
                        const Catalog& catalog) {
    StrictTable fields(table, "[cluster]", file);
    ClusterPreset preset;
    const auto presetName = fields.text("preset");
    const auto gpuName = fields.text("gpu");
    inFile(file, [&] {
        if (gpuName) static_cast<void>(catalog.gpu(*gpuName));  // a misspelt name before anything that follows from it
        if (presetName) {
            preset = catalog.cluster(*presetName);
        } else if (gpuName) {
            preset = catalog.usualCluster(*gpuName).value_or(ClusterPreset{"", *gpuName, 8, {}});
        }
    });
    if (!presetName && !gpuName) fields.fail("gpu", "is missing; give preset = \"dgx-h100\" or gpu = \"H100-SXM\"");
    if (gpuName) preset.gpu = *gpuName;
    if (const auto perNode = fields.integer("gpus_per_node", 1, 4096)) preset.gpusPerNode = static_cast<int>(*perNode);
    const auto nodes = fields.integer("nodes", 1, kMostGpus);
    const auto gpusGiven = fields.integer("gpus", 1, kMostGpus);
    if (nodes && gpusGiven && *nodes * preset.gpusPerNode != *gpusGiven) {
        fields.fail("nodes", fmt::format("{} nodes of {} GPUs are not gpus = {}; give one of the two", *nodes,
                                         preset.gpusPerNode, *gpusGiven));
    }
    if (nodes && *nodes * preset.gpusPerNode > kMostGpus) fields.fail("nodes", "more than 10,000,000 GPUs");
    const auto gpus = gpusGiven ? std::optional(static_cast<int>(*gpusGiven))
                      : nodes   ? std::optional(static_cast<int>(*nodes * preset.gpusPerNode))
                                : gpusOfPlan(plan);
    if (!gpus) fields.fail("gpus", "is missing; give gpus, nodes, or all sizes in [plan]");
    if (const auto* links = fields.array("links")) {
        preset.links.clear();
        for (const auto& link : *links) {
            if (!link.is_table()) fields.failAt(link, "links: write [[cluster.links]] tables");
            preset.links.push_back(readLink(*link.as_table(), file));
        }
    }
    if (preset.links.empty()) {
        fields.fail("links", fmt::format("the catalog has no cluster of {}; give [[cluster.links]]", preset.gpu));
    }
    ClusterSpec cluster;
    inFile(file, [&] { cluster = instantiate(preset, catalog.gpu(preset.gpu), *gpus); });
    if (const auto* speeds = fields.array("device_speed")) {
        for (const auto& speed : *speeds) {
            const auto value = speed.value<double>();
            if (!value || !(*value > 0.0 && *value <= 100.0))
                fields.failAt(speed, "device_speed: give a factor above 0, 1 is nominal");
            cluster.deviceSpeed.push_back(*value);
        }
        if (std::ssize(cluster.deviceSpeed) != cluster.gpus) {
            fields.fail("device_speed", fmt::format("has {} entries for {} GPUs; give one a GPU",
                                                    cluster.deviceSpeed.size(), cluster.gpus));
        }
    }
    fields.finish();
    inFile(file, [&] { validate(cluster); });
    return cluster;
}

RuntimeSpec readFramework(const toml::table& table, const std::string& file, const std::string& gpu,
                          const Catalog& catalog) {
    StrictTable fields(table, "[framework]", file);
    RuntimeSpec runtime;
    if (const auto preset = fields.text("preset")) inFile(file, [&] { runtime = catalog.framework(*preset, gpu); });
    readRuntimeFields(fields, runtime);
    fields.finish();
    if (runtime.name.empty()) runtime.name = "given";
    inFile(file, [&] { validate(runtime); });
    return runtime;
}

}  // namespace

Scenario readScenario(const std::filesystem::path& path, const Catalog& catalog) {
    const std::string file = path.string();
    const toml::table root = parseTomlFile(path);
    StrictTable outer(root, "the scenario", file);
    Scenario scenario;
    scenario.name = outer.text("name").value_or(path.stem().string());
    const auto required = [&](std::string_view key) -> const toml::table& {
        const toml::table* table = outer.table(key);
        if (table == nullptr) throw InputError(fmt::format("{}: the table [{}] is missing; see examples/", file, key));
        return *table;
    };
    const toml::table& model = required("model");
    const toml::table& cluster = required("cluster");
    const toml::table* plan = outer.table("plan");
    const toml::table& workload = required("workload");
    const toml::table* calibration = outer.table("calibration");
    const toml::table* framework = outer.table("framework");
    outer.finish();

    scenario.model = readModel(model, file, catalog);
    scenario.cluster = readCluster(cluster, plan, file, catalog);
    const toml::table noPlan;
    const PlanTable planTable = readPlan(plan != nullptr ? *plan : noPlan, file, scenario.cluster.gpus);
    scenario.plan = planTable.plan;
    inFile(file, [&] { validate(scenario.plan, scenario.model, scenario.cluster); });
    scenario.workload = readWorkload(workload, file, scenario.plan.dp, planTable.microBatch);
    if (framework != nullptr) scenario.runtime = readFramework(*framework, file, scenario.cluster.gpu.name, catalog);
    if (calibration != nullptr) {
        StrictTable fields(*calibration, "[calibration]", file);
        const auto name = fields.text("file");
        if (!name) fields.fail("file", "is missing; name a file made by 'orrery calibrate'");
        fields.finish();
        scenario.calibration = readCalibration(path.parent_path() / *name);
    }
    return scenario;
}

}  // namespace orrery
