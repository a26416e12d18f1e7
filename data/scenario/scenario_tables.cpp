#include "data/scenario/scenario_tables.hpp"

#include <algorithm>
#include <utility>

#include "data/calibration/calibration_file.hpp"
#include "data/catalog/framework_table.hpp"
#include "data/catalog/spec_tables.hpp"

namespace orrery {
namespace {

constexpr std::int64_t kMostGpus = 10'000'000;

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

}  // namespace

ScenarioTables readTables(const toml::table& root, const std::string& file, std::string defaultName) {
    StrictTable outer(root, "the scenario", file);
    ScenarioTables tables;
    tables.name = outer.text("name").value_or(std::move(defaultName));
    const auto required = [&](std::string_view key) {
        const toml::table* table = outer.table(key);
        if (table == nullptr) throw InputError(fmt::format("{}: the table [{}] is missing; see examples/", file, key));
        return table;
    };
    tables.model = required("model");
    tables.cluster = required("cluster");
    tables.plan = outer.table("plan");
    tables.workload = required("workload");
    tables.calibration = outer.table("calibration");
    tables.framework = outer.table("framework");
    tables.operation = outer.table("operation");
    outer.finish();
    return tables;
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

Calibration readCalibrationTable(const toml::table& table, const std::string& file) {
    StrictTable fields(table, "[calibration]", file);
    const auto name = fields.text("file");
    if (!name) fields.fail("file", "is missing; name a file made by 'orrery calibrate'");
    fields.finish();
    return readCalibration(std::filesystem::path(file).parent_path() / *name);
}

}  // namespace orrery
