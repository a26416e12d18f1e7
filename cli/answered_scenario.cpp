#include "cli/answered_scenario.hpp"

#include "cli/interrupt.hpp"
#include "data/calibration/calibration_file.hpp"
#include "data/scenario/complete_scenario.hpp"
#include "data/scenario/scenario_file.hpp"
#include "data/scenario/search_file.hpp"
#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

void describeCluster(ScenarioAnswer& out, const ModelSpec& model, const ClusterSpec& cluster) {
    out.model = model.name;
    out.gpu = cluster.gpu.name;
    out.gpus = cluster.gpus;
}

ScenarioAnswer ownPlan(const ScenarioVariant& variant) {
    Scenario scenario = readScenario(variant.file, Catalog(), variant.overrides);
    ScenarioAnswer out;
    out.name = scenario.name;
    describeCluster(out, scenario.model, scenario.cluster);
    if (!variant.calibration.empty()) {
        scenario.calibration = readCalibration(variant.calibration);
        out.calibration = variant.calibration.string();
    } else {
        out.calibration = completeScenario(scenario);
    }
    for (const auto& [factor, by] : variant.hardware) scaleHardware(scenario, factor, by);
    out.framework = scenario.runtime.name;
    out.tokensPerStep = static_cast<double>(scenario.workload.tokens());
    const auto& first = scenario.workload.replicas.front().front();
    out.plan = RankedPlan{scenario.plan, static_cast<int>(first.documents.size()), predict(scenario)};
    out.fits = out.plan->prediction.metrics.peakMemory <= scenario.cluster.gpu.memory;
    if (!out.fits) out.reason = "does not fit";
    return out;
}

CostModel changedCost(const CostModel& cost, const std::vector<HardwareChange>& hardware) {
    Scenario scenario;
    scenario.cluster = cost.cluster();
    scenario.calibration = cost.calibration();
    scenario.runtime = cost.runtime();
    for (const auto& [factor, by] : hardware) scaleHardware(scenario, factor, by);
    return costModelOf(scenario);
}

ScenarioAnswer bestPlan(const ScenarioVariant& variant) {
    ScenarioSearch read =
        readSearch(variant.file, {.calibration = variant.calibration, .overrides = variant.overrides, .openAll = true});
    ScenarioAnswer out;
    out.name = read.name;
    describeCluster(out, read.problem.model, read.problem.cost.cluster());
    out.calibration = read.calibration;
    out.framework = read.framework;
    if (!variant.hardware.empty()) {
        read.problem.cost = changedCost(read.problem.cost, variant.hardware);
        if (read.problem.costOfFullSharding)
            read.problem.costOfFullSharding = changedCost(*read.problem.costOfFullSharding, variant.hardware);
    }
    SearchOptions options;
    options.top = 1;
    options.stop = &stopOnInterrupt();
    SearchResult result = search(read.problem, options);
    if (result.interrupted) out.reason = "interrupted";
    if (result.best.empty()) {
        if (out.reason.empty()) out.reason = "no plan fits";
        return out;
    }
    out.plan = std::move(result.best.front());
    out.fits = true;
    const Workload workload = read.problem.workload(out.plan->plan.dp, out.plan->microBatch);
    out.tokensPerStep = static_cast<double>(workload.tokens());
    return out;
}

/// Without the program's and the file's name, which stand above the table.
std::string shortReason(const InputError& error, const std::filesystem::path& file) {
    std::string text = error.what();
    const std::string start = file.string() + ":";
    if (text.starts_with(start)) text.erase(0, start.size());
    return text.erase(0, text.find_first_not_of(' '));
}

}  // namespace

ScenarioAnswer answer(const ScenarioVariant& variant) {
    try {
        return variant.bestPlan ? bestPlan(variant) : ownPlan(variant);
    } catch (const InputError& error) {
        if (variant.overrides.empty()) throw;
        ScenarioAnswer out;
        out.reason = shortReason(error, variant.file);
        return out;
    }
}

}  // namespace orrery::cli
