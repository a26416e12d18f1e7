#include "cli/compare_log.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/progress.hpp"
#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Line {
    const char* what;
    double predicted, measured;
    int digits;
};

double errorOf(const Line& line) {
    return 100.0 * (line.predicted / line.measured - 1.0);
}

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

}  // namespace

void compareLog(const std::filesystem::path& file, const ScenarioOptions& options, int skip, bool json) {
    std::string calibration;
    const Scenario scenario = loadScenario(options, calibration);
    const Prediction prediction = predict(scenario);
    const auto sequences = scenario.workload.tokens() / std::max<std::int64_t>(1, scenario.workload.sequenceLength);
    const importers::TrainingLog log = importers::readTrainingLog(
        file, terminalProgress(), sequences, scenario.workload.tokens() / scenario.plan.worldSize());
    const auto left = skip >= 0 ? static_cast<std::size_t>(skip) : std::min<std::size_t>(2, log.steps.size() - 1);
    if (left >= log.steps.size()) {
        throw InputError(
            fmt::format("{}: {} steps, and {} of them skipped; skip fewer", file.string(), log.steps.size(), left));
    }
    std::vector<double> seconds;
    for (std::size_t i = left; i < log.steps.size(); ++i) seconds.push_back(log.steps[i].seconds);

    std::vector<std::string> warnings;
    const auto& last = log.steps.back();
    if (last.globalBatch && *last.globalBatch != sequences) {
        warnings.push_back(fmt::format("the log's global batch is {}, the scenario's {}: steps do not compare",
                                       *last.globalBatch, sequences));
    }
    if (log.badLines > 0)
        warnings.push_back(fmt::format("{} lines could not be read, first {}", log.badLines, log.firstBadLine));
    if (log.nanIterations + log.skippedIterations > 0) {
        warnings.push_back(fmt::format("{} iterations skipped, {} with NaN", log.skippedIterations, log.nanIterations));
    }
    const double measured = log.medianSeconds(left);
    std::vector<Line> lines{{"step, s", prediction.metrics.step.value(), measured, 4}};
    const double tokens = static_cast<double>(scenario.workload.tokens()) / scenario.plan.worldSize();
    lines.push_back({"tokens/s/GPU", prediction.metrics.tokensPerSecondPerGpu, tokens / measured, 1});
    if (log.allocatedPeakGib) {
        const double model = prediction.metrics.peakMemory / 1_GiB;
        lines.push_back({"peak memory, GiB", model, *log.allocatedPeakGib, 2});
    }
    if (json) {
        Json rows = Json::array();
        for (const Line& line : lines)
            rows.push_back({{"what", line.what},
                            {"predicted", line.predicted},
                            {"measured", line.measured},
                            {"error_pct", errorOf(line)}});
        Json timers = Json::object();
        for (const auto& [name, timer] : log.timers) timers[name] = {{"min_s", timer.min}, {"max_s", timer.max}};
        const Json out = {{"log", log.format},
                          {"steps", seconds.size()},
                          {"predicted_step_s", prediction.metrics.step.value()},
                          {"measured_step_s", measured},
                          {"error_pct", errorOf(lines.front())},
                          {"rows", rows},
                          {"timers", timers},
                          {"warnings", warnings}};
        fmt::print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
        return;
    }
    fmt::print("{} log, {} steps (5 to 95 %: {:.4f} to {:.4f} s)\n\n{:<20}{:>14}{:>14}{:>10}\n", log.format,
               seconds.size(), quantile(seconds, 0.05), quantile(seconds, 0.95), "", "predicted", "measured",
               "error %");
    for (const Line& line : lines)
        fmt::print("{:<20}{:>14.{}f}{:>14.{}f}{:>+10.1f}\n", line.what, line.predicted, line.digits, line.measured,
                   line.digits, errorOf(line));
    if (last.tflopsPerGpu)
        fmt::print("the log's own rate: {:.1f} TFLOP/s/GPU, by its own formula\n", *last.tflopsPerGpu);
    if (!log.timers.empty()) {
        fmt::print("\nthe log's timers, s{:>33}{:>12}\n", "min", "max of ranks");
        for (const auto& [name, timer] : log.timers)
            fmt::print("  {:<38}{:>12.4f}{:>12.4f}\n", name, timer.min, timer.max);
    }
    fmt::print("\nwhere the prediction goes, s\n");
    for (const auto& [part, time] : prediction.breakdown) {
        if (time.value() > 0.0) fmt::print("  {:<38}{:>12.4f}\n", part, time.value());
    }
    for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
}

}  // namespace orrery::cli
