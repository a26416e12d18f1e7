// orrery capacity: how long, how many GPU-hours, how much energy and money a training run takes, on how many GPUs.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/answered_scenario.hpp"
#include "cli/commands.hpp"
#include "cli/search_output.hpp"
#include "cli/value_list.hpp"
#include "data/scenario/operation_table.hpp"
#include "data/scenario/scenario_file.hpp"
#include "model/units/input_error.hpp"
#include "report/capacity/capacity_report.hpp"
#include "report/text/write_file.hpp"

namespace orrery::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::filesystem::path scenario, calibration, output;
    std::string tokens, gpus, devices;
    std::vector<std::string> set;
    std::optional<double> days, budget, price, pue, availability;
    bool ownPlan = false, json = false;
};

constexpr int kSteps = 8;  ///< numbers of GPUs looked at between two powers of two
constexpr int kMostGpus = 65536;

Operation operationOf(const Options& options, const std::string& gpu, const std::vector<Override>& overrides) {
    Operation operation = readOperation(options.scenario, gpu, overrides);
    if (options.price) operation.pricePerGpuHour = *options.price;
    if (options.pue) operation.pue = *options.pue;
    if (options.availability) operation.availability = *options.availability;
    return operation;
}

CapacityRow rowOf(const Options& options, double tokens, const std::string& device, int gpus) {
    ScenarioVariant variant{options.scenario, options.calibration, {}, {}, !options.ownPlan};
    for (const std::string& text : options.set) variant.overrides.push_back(parseOverride(text));
    if (!device.empty()) variant.overrides.push_back({"cluster.gpu", device});
    if (gpus > 0) variant.overrides.push_back({"cluster.gpus", std::to_string(gpus)});
    ScenarioAnswer answered = answer(variant);
    CapacityRow row;
    row.device = answered.gpu.empty() ? device : answered.gpu;
    row.gpus = answered.gpus > 0 ? answered.gpus : gpus;
    row.calibration = answered.calibration;
    row.framework = answered.framework;
    row.name = answered.name;
    row.model = answered.model;
    row.reason = answered.reason;
    if (!answered.plan || !answered.fits) return row;
    row.plan = describe(answered.plan->plan, answered.plan->microBatch);
    row.prediction = std::move(answered.plan->prediction);
    row.operation = operationOf(options, answered.gpu, variant.overrides);
    row.cost = trainingCost(*row.prediction, answered.gpus, answered.tokensPerStep, tokens, row.operation);
    return row;
}

/// As many GPUs as the scenario says, and a half, a quarter, twice and four times as many.
std::vector<int> usualCounts(const Options& options) {
    std::vector<int> counts;
    const CapacityRow asItStands = rowOf(options, 1.0, "", 0);
    if (asItStands.gpus == 0) throw InputError("capacity: " + asItStands.reason);
    for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) {
        const int gpus = static_cast<int>(asItStands.gpus * factor);
        if (gpus >= 1) counts.push_back(gpus);
    }
    return counts;
}

std::vector<int> countsOf(const Options& options) {
    if (options.gpus.empty()) return usualCounts(options);
    std::vector<int> counts;
    for (const std::string& text : valueList(options.gpus)) {
        const double number = largeNumber(text);
        if (number > kMostGpus || number != static_cast<int>(number))
            throw InputError(fmt::format("--gpus: '{}' is no number of GPUs up to {}", text, kMostGpus));
        counts.push_back(static_cast<int>(number));
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

/// Between the largest number that is too slow and the smallest that is fast enough: eighths in between.
void refineForDays(const Options& options, double tokens, const std::string& device, std::vector<CapacityRow>& rows) {
    const double days = *options.days;
    const auto enough = [&](const CapacityRow& row) { return row.prediction && row.cost.days <= days; };
    auto first = std::find_if(rows.begin(), rows.end(), enough);
    while (first == rows.end() && rows.back().gpus * 2 <= kMostGpus) {
        rows.push_back(rowOf(options, tokens, device, rows.back().gpus * 2));
        first = enough(rows.back()) ? rows.end() - 1 : rows.end();
    }
    if (first == rows.end() || first == rows.begin()) return;
    const int high = first->gpus;
    const int low = (first - 1)->gpus;
    std::vector<CapacityRow> between;
    for (int i = 1; i < kSteps; ++i) {
        const int gpus = low + (high - low) * i / kSteps;
        if (gpus > low && gpus < high && (high - low) % kSteps == 0)
            between.push_back(rowOf(options, tokens, device, gpus));
    }
    for (CapacityRow& row : between) {
        if (row.prediction) rows.push_back(std::move(row));
    }
    std::sort(rows.begin(), rows.end(), [](const CapacityRow& a, const CapacityRow& b) { return a.gpus < b.gpus; });
}

CapacityPlan planOf(const Options& options) {
    CapacityPlan plan;
    plan.tokens = largeNumber(options.tokens);
    plan.days = options.days;
    plan.budget = options.budget;
    const std::vector<int> counts = countsOf(options);
    const std::vector<std::string> devices =
        options.devices.empty() ? std::vector<std::string>{""} : valueList(options.devices);
    for (const std::string& device : devices) {
        std::vector<CapacityRow> rows;
        for (const int gpus : counts) rows.push_back(rowOf(options, plan.tokens, device, gpus));
        if (options.days) refineForDays(options, plan.tokens, device, rows);
        plan.rows.insert(plan.rows.end(), rows.begin(), rows.end());
    }
    const auto some =
        std::find_if(plan.rows.begin(), plan.rows.end(), [](const CapacityRow& r) { return r.prediction; });
    if (some == plan.rows.end())
        throw InputError("capacity: no number of GPUs has a plan: " + plan.rows.front().reason);
    plan.name = some->name;
    return plan;
}

void print(const CapacityPlan& plan) {
    const auto some =
        std::find_if(plan.rows.begin(), plan.rows.end(), [](const CapacityRow& r) { return r.prediction; });
    fmt::print("{}: {:.4g} tokens; {:.0f} % of the time makes progress\n\n", plan.name, plan.tokens,
               100 * some->operation.availability);
    fmt::print("{:>12}{:>7}{:>11}{:>7}{:>9}{:>16}{:>14}{:>10}{:>14}  {}\n", "GPU", "number", "step s", "MFU %", "days",
               "", "GPU-hours", "MWh", "money", "plan");
    for (const CapacityRow& row : plan.rows) {
        if (!row.prediction) {
            fmt::print("{:>12}{:>7}  {}\n", row.device, row.gpus, row.reason);
            continue;
        }
        const TrainingCost& cost = row.cost;
        fmt::print("{:>12}{:>7}{:>11.4f}{:>7.1f}{:>9.1f}{:>16}{:>14.0f}{:>10}{:>14}  {}\n", row.device, row.gpus,
                   row.prediction->metrics.step.value(), 100 * row.prediction->metrics.mfu, cost.days,
                   fmt::format("({:.1f}-{:.1f})", cost.daysLow, cost.daysHigh), cost.gpuHours,
                   cost.megawattHours > 0 ? fmt::format("{:.0f}", cost.megawattHours) : "-",
                   cost.money > 0 ? fmt::format("{:.0f}", cost.money) : "-", row.plan);
    }
    fmt::print("\n");
    for (const std::string& line : answers(plan)) fmt::print("{}\n", line);
    fmt::print("calibration: {}; framework: {}\n", some->calibration, some->framework);
}

Json toJson(const CapacityPlan& plan) {
    Json rows = Json::array();
    for (const CapacityRow& row : plan.rows) {
        Json entry = {{"gpu", row.device}, {"gpus", row.gpus}};
        if (row.prediction) {
            const TrainingCost& cost = row.cost;
            entry.update({{"plan", row.plan},
                          {"step_s", row.prediction->metrics.step.value()},
                          {"mfu", row.prediction->metrics.mfu},
                          {"tokens_per_s_per_gpu", row.prediction->metrics.tokensPerSecondPerGpu},
                          {"peak_memory_gib", row.prediction->metrics.peakMemory / 1_GiB},
                          {"availability", row.operation.availability},
                          {"price_per_gpu_hour", row.operation.pricePerGpuHour},
                          {"steps", cost.steps},
                          {"days", cost.days},
                          {"days_low", cost.daysLow},
                          {"days_high", cost.daysHigh},
                          {"gpu_hours", cost.gpuHours},
                          {"mwh", cost.megawattHours},
                          {"money", cost.money},
                          {"money_low", cost.moneyLow},
                          {"money_high", cost.moneyHigh}});
        } else {
            entry["reason"] = row.reason;
        }
        rows.push_back(std::move(entry));
    }
    return {{"scenario", plan.name},
            {"tokens", plan.tokens},

            {"rows", rows},
            {"answers", answers(plan)}};
}

void run(const Options& options) {
    const CapacityPlan plan = planOf(options);
    if (!options.output.empty()) {
        const std::string extension = options.output.extension().string();
        if (extension != ".html" && extension != ".csv")
            throw InputError(fmt::format("{}: write .html or .csv", options.output.string()));
        writeFile(options.output, extension == ".html" ? capacityHtml(plan) : capacityCsv(plan));
    }
    if (options.json) {
        fmt::print("{}\n", toJson(plan).dump(2, ' ', false, Json::error_handler_t::replace));
    } else {
        print(plan);
        if (!options.output.empty()) fmt::print("report: {}\n", options.output.string());
    }
}

}  // namespace

void addCapacity(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "capacity", "days, GPU-hours, energy and money of a training run, by number and kind of GPUs");
    command->add_option("scenario", options->scenario, "scenario file (TOML)")->required();
    command->add_option("--tokens", options->tokens, "of training data: 15.6T, 300B, 2e12")->required();
    command->add_option("--gpus", options->gpus, "numbers of GPUs: 512,1024 or 256..4096 (doubling)");
    command->add_option("--gpu", options->devices,
                        "kinds of GPU to compare: H100-SXM,B200 (each in its usual machine)");
    command->add_option("--days", options->days, "fewest GPUs that are done in so many days")
        ->check(CLI::PositiveNumber);
    command->add_option("--budget", options->budget, "what so much money buys")->check(CLI::PositiveNumber);
    command->add_option("--price", options->price, "of a GPU-hour, in any currency")->check(CLI::PositiveNumber);
    command->add_option("--pue", options->pue, "energy of the building over that of its machines (1)")
        ->check(CLI::Range(1.0, 10.0));
    command->add_option("--availability", options->availability, "share of the time that makes progress (0.9)")
        ->check(CLI::Range(0.01, 1.0));
    command->add_option("--set", options->set, "a field of the scenario: workload.global_batch=512; repeat");
    command->add_option("--calibration", options->calibration, "made by 'orrery calibrate'");
    command->add_flag("--own-plan", options->ownPlan, "the scenario's own plan instead of the best one");
    command->add_option("-o,--output", options->output, "report as one HTML file, or rows as .csv");
    command->add_flag("--json", options->json, "machine-readable (docs/cli.md)");
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
