// orrery predict: what one step of a scenario costs.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/prediction_json.hpp"
#include "cli/scenario_options.hpp"
#include "model/imbalance/imbalance.hpp"
#include "report/trace/write_timeline.hpp"

namespace orrery::cli {
namespace {

struct Options {
    ScenarioOptions scenario;
    std::filesystem::path timeline;
    bool operators = false;
    bool json = false;
};

std::string duration(Seconds time) {
    const double s = time.value();
    if (s >= 1.0) return fmt::format("{:.3f} s", s);
    if (s >= 1e-3) return fmt::format("{:.3f} ms", s * 1e3);
    return fmt::format("{:.1f} us", s * 1e6);
}

void printHeader(const Scenario& scenario, const StepMetrics& metrics) {
    const ParallelPlan& plan = scenario.plan;
    fmt::print("{}: {} on {} x {}\n", scenario.name, scenario.model.name, scenario.cluster.gpus,
               scenario.cluster.gpu.name);
    fmt::print("plan: tp {} pp {} vpp {} dp {} cp {} ep {}, {}, recompute {}, {}, {}{}\n", plan.tp, plan.pp, plan.vpp,
               plan.dp, plan.cp, plan.ep, name(plan.schedule), name(plan.recompute), name(plan.sharding),
               name(plan.precision), plan.sequenceParallel ? ", sequence parallel" : "");
    fmt::print("batch: {} tokens in {} micro-batches a replica\n\n", scenario.workload.tokens(),
               scenario.workload.microBatches());
    const auto line = [](const char* what, const std::string& value) { fmt::print("  {:<26}{:>14}\n", what, value); };
    line("step", duration(metrics.step) +
                     (metrics.relativeSigma > 0.0 ? fmt::format("  +- {:.0f} %", 100 * metrics.relativeSigma) : ""));
    line("tokens/s/GPU", fmt::format("{:.1f}", metrics.tokensPerSecondPerGpu));
    line("model TFLOP/s/GPU", fmt::format("{:.2f}", metrics.modelTflopsPerGpu));
    line("MFU", fmt::format("{:.1f} %", 100 * metrics.mfu));
    line("bubble", fmt::format("{:.1f} %", 100 * metrics.bubbleFraction));
    line("exposed communication", fmt::format("{:.1f} %", 100 * metrics.exposedCommFraction));
    line("imbalance (max/mean)", fmt::format("{:.3f}", metrics.imbalance));
    line("peak memory", fmt::format("{:.2f} GiB", metrics.peakMemory / 1_GiB));
}

void printBreakdown(const Prediction& prediction) {
    std::vector<std::pair<std::string, Seconds>> parts(prediction.breakdown.begin(), prediction.breakdown.end());
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    fmt::print("\nwhere the step goes (mean over devices)\n");
    for (const auto& [part, seconds] : parts) {
        if (seconds <= Seconds{}) continue;
        const double share = seconds / prediction.metrics.step;
        fmt::print("  {:<16}{:>14}{:>8.1f} %  {}\n", part, duration(seconds), 100 * share,
                   std::string(static_cast<std::size_t>(std::max(0.0, share * 40 + 0.5)), '#'));
    }
}

void printStages(const Prediction& prediction, Bytes capacity) {
    fmt::print("\n  stage       compute       exposed          idle   in flight   memory GiB\n");
    for (const auto& stage : prediction.stages) {
        fmt::print("  {:>5}{:>14}{:>14}{:>14}{:>12}{:>13.2f}{}\n", stage.stage, duration(stage.compute),
                   duration(stage.exposedComm), duration(stage.idle), stage.peakInFlight, stage.memory.total() / 1_GiB,
                   stage.memory.total() > capacity ? "  does not fit" : "");
    }
}

void run(const Options& options) {
    std::string calibrationName;
    const Scenario scenario = loadScenario(options.scenario, calibrationName);
    const Prediction prediction = predict(scenario, {!options.timeline.empty(), options.operators});
    if (!options.timeline.empty()) writeTimeline(options.timeline, {{"predicted", prediction.timeline}});
    if (options.json) {
        auto out = toJson(scenario, prediction, calibrationName);
        const Imbalance imbalance =
            imbalanceOf(scenario.model, scenario.plan, scenario.workload, costModelOf(scenario));
        for (const ImbalanceSource& source : imbalance.sources) {
            out["imbalance_sources"].push_back(
                {{"source", source.name}, {"max_over_mean", source.maxOverMean}, {"cost_s", source.cost.value()}});
        }
        fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
        return;
    }
    printHeader(scenario, prediction.metrics);
    printBreakdown(prediction);
    printStages(prediction, scenario.cluster.gpu.memory);
    fmt::print("\ncalibration: {}\nframework: {}\n", calibrationName,
               scenario.runtime.name.empty() ? "ideal" : scenario.runtime.name);
    for (const auto& warning : prediction.warnings) fmt::print("warning: {}\n", warning);
    if (!options.timeline.empty()) fmt::print("timeline: {}\n", options.timeline.string());
}

}  // namespace

void addPredict(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("predict", "what one training step of a scenario costs");
    addScenarioOptions(*command, options->scenario);
    command->add_option("--timeline", options->timeline,
                        "write the predicted timeline: .json (Chrome), .pftrace (Perfetto) or .et (Chakra)");
    command->add_flag("--ops", options->operators, "with --timeline: the operators inside each task, too");
    command->add_flag("--json", options->json, "machine-readable (docs/cli.md)");
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
