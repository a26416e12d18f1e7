// orrery sweep: the same job with other values of its fields, and what it is sensitive to.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/answered_scenario.hpp"
#include "cli/commands.hpp"
#include "cli/scenario_options.hpp"
#include "cli/search_output.hpp"
#include "cli/value_list.hpp"
#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kHardware = "hardware.";

struct Options {
    ScenarioOptions scenario;
    std::vector<std::string> over;
    bool search = false, weak = false, sensitivity = false, json = false, csv = false;
    double by = 10.0;
};

struct Axis {
    std::string key;
    std::vector<std::string> values;
};

struct Row {
    std::vector<std::string> values;  ///< one an axis
    ScenarioAnswer answer;
};

double numberOf(const std::string& key, const std::string& value) {
    std::size_t used = 0;
    double number = 0.0;
    try {
        number = std::stod(value, &used);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used != value.size() || !(number > 0.0) || !std::isfinite(number))
        throw InputError(fmt::format("{}: '{}' is no factor above 0; 1.1 is ten per cent more", key, value));
    return number;
}

std::vector<Axis> axesOf(const Options& options) {
    std::vector<Axis> axes;
    for (const std::string& text : options.over) {
        const Override all = parseOverride(text);
        axes.push_back({all.key, valueList(all.value)});
        if (!all.key.starts_with(kHardware)) continue;
        if (!parseHardwareFactor(all.key.substr(kHardware.size()))) {
            throw InputError(
                fmt::format("'{}' is none of hardware.matrix_peak, memory_bandwidth, link_bandwidth, "
                            "network_bandwidth, latency, host_speed, memory",
                            all.key));
        }
        for (const std::string& value : axes.back().values) static_cast<void>(numberOf(all.key, value));
    }
    return axes;
}

/// Weak scaling: the batch grows with the GPUs, from that of the file as it stands.
void growBatch(ScenarioVariant& variant, const ScenarioAnswer& base, std::int64_t sequence) {
    for (const Override& override : variant.overrides) {
        if (override.key != "cluster.gpus") continue;
        const double batch = base.tokensPerStep / static_cast<double>(sequence) * std::stod(override.value) / base.gpus;
        variant.overrides.push_back({"workload.global_batch", fmt::format("{:.0f}", std::max(1.0, std::round(batch)))});
        return;
    }
    throw InputError("--weak needs --over cluster.gpus=...");
}

std::vector<Row> rowsOf(const Options& options, const std::vector<Axis>& axes) {
    ScenarioVariant asItStands{options.scenario.scenario, options.scenario.calibration, {}, {}, options.search};
    ScenarioAnswer base;
    std::int64_t sequence = 1;
    if (options.weak) {
        base = answer(asItStands);
        if (!base.plan) throw InputError("the scenario as it stands has no plan to grow from: " + base.reason);
        std::string unused;
        sequence = loadScenario(options.scenario, unused).workload.sequenceLength;
    }
    std::vector<Row> rows;
    std::vector<std::size_t> at(axes.size(), 0);
    for (bool more = true; more;) {
        ScenarioVariant variant = asItStands;
        Row row;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::string& value = axes[i].values[at[i]];
            row.values.push_back(value);
            if (axes[i].key.starts_with(kHardware)) {
                variant.hardware.push_back(
                    {*parseHardwareFactor(axes[i].key.substr(kHardware.size())), numberOf(axes[i].key, value)});
            } else {
                variant.overrides.push_back({axes[i].key, value});
            }
        }
        if (options.weak) growBatch(variant, base, sequence);
        row.answer = answer(variant);
        rows.push_back(std::move(row));
        more = false;
        for (std::size_t i = axes.size(); i-- > 0 && !more;) {
            more = ++at[i] < axes[i].values.size();
            if (!more) at[i] = 0;
        }
    }
    return rows;
}

const ScenarioAnswer* firstWithPlan(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        if (row.answer.plan) return &row.answer;
    }
    return nullptr;
}

/// Tokens a second and GPU over those of the first row.
double efficiency(const ScenarioAnswer& answer, const ScenarioAnswer& first) {
    return answer.plan->prediction.metrics.tokensPerSecondPerGpu / first.plan->prediction.metrics.tokensPerSecondPerGpu;
}

void printRows(const std::vector<Axis>& axes, const std::vector<Row>& rows, bool showPlan) {
    std::size_t width = 4;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        width = std::max(width, axes[i].key.size());
        for (const std::string& value : axes[i].values) width = std::max(width, value.size());
    }
    for (const Axis& axis : axes) fmt::print("{:>{}}  ", axis.key, width);
    fmt::print("{:>6}{:>11}{:>7}{:>14}{:>9}{:>7}{:>8}{:>8}{:>8}\n", "GPUs", "step s", "+- %", "tokens/s", "per GPU",
               "MFU %", "of 1st", "GiB", "");
    const ScenarioAnswer* first = firstWithPlan(rows);
    for (const Row& row : rows) {
        for (const std::string& value : row.values) fmt::print("{:>{}}  ", value, width);
        if (!row.answer.plan) {
            fmt::print("  {}\n", row.answer.reason);
            continue;
        }
        const StepMetrics& metrics = row.answer.plan->prediction.metrics;
        fmt::print("{:>6}{:>11.4f}{:>7.1f}{:>14.0f}{:>9.1f}{:>7.1f}{:>8.3f}{:>8.1f}  {}\n", row.answer.gpus,
                   metrics.step.value(), 200 * metrics.relativeSigma, metrics.tokensPerSecondPerGpu * row.answer.gpus,
                   metrics.tokensPerSecondPerGpu, 100 * metrics.mfu, efficiency(row.answer, *first),
                   metrics.peakMemory / 1_GiB,
                   showPlan ? describe(row.answer.plan->plan, row.answer.plan->microBatch) : row.answer.reason);
    }
}

void printCsv(const std::vector<Axis>& axes, const std::vector<Row>& rows) {
    std::vector<std::string> keys;
    for (const Axis& axis : axes) keys.push_back(axis.key);
    fmt::print(
        "{},gpus,step_s,step_low_s,step_high_s,tokens_per_s,tokens_per_s_per_gpu,mfu,bubble_fraction,"
        "exposed_comm_fraction,peak_memory_gib,fits,reason\n",
        fmt::join(keys, ","));
    const auto quoted = [](std::string text) {
        if (text.find_first_of(",\"\n") == std::string::npos) return text;
        std::string out = "\"";
        for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
        return out + '"';
    };
    for (const Row& row : rows) {
        for (const std::string& value : row.values) fmt::print("{},", quoted(value));
        if (!row.answer.plan) {
            fmt::print(",,,,,,,,,,,{}\n", quoted(row.answer.reason));
            continue;
        }
        const StepMetrics& m = row.answer.plan->prediction.metrics;
        fmt::print("{},{},{},{},{},{},{},{},{},{},{},{}\n", row.answer.gpus, m.step.value(),
                   m.step.value() * (1 - 2 * m.relativeSigma), m.step.value() * (1 + 2 * m.relativeSigma),
                   m.tokensPerSecondPerGpu * row.answer.gpus, m.tokensPerSecondPerGpu, m.mfu, m.bubbleFraction,
                   m.exposedCommFraction, m.peakMemory / 1_GiB, row.answer.fits, quoted(row.answer.reason));
    }
}

Json rowsJson(const std::vector<Axis>& axes, const std::vector<Row>& rows) {
    Json list = Json::array();
    const ScenarioAnswer* first = firstWithPlan(rows);
    for (const Row& row : rows) {
        Json entry;
        for (std::size_t i = 0; i < axes.size(); ++i) entry["values"][axes[i].key] = row.values[i];
        if (row.answer.plan) {
            entry.update(planJson(*row.answer.plan));
            entry["gpus"] = row.answer.gpus;
            entry["tokens_per_s"] = row.answer.plan->prediction.metrics.tokensPerSecondPerGpu * row.answer.gpus;
            entry["efficiency"] = efficiency(row.answer, *first);
            entry["fits"] = row.answer.fits;
        } else {
            entry["reason"] = row.answer.reason;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

/// A tornado: bars to both sides of the unchanged step, longest first.
void printSensitivities(const Sensitivities& found, double by) {
    const double step = found.unchanged.value();
    fmt::print("step {:.4f} s; with so much {:.0f} % slower and faster:\n", step, by);
    double widest = 1e-12;
    for (const Sensitivity& s : found.factors)
        widest = std::max({widest, std::abs(s.lower.value() / step - 1), std::abs(s.higher.value() / step - 1)});
    for (const Sensitivity& s : found.factors) {
        const double low = s.lower.value() / step - 1;
        const double high = s.higher.value() / step - 1;
        const auto bar = [&](double share) {
            return std::string(static_cast<std::size_t>(std::lround(20 * std::abs(share) / widest)), '#');
        };
        const double faster = std::min(low, high);
        const double slower = std::max(low, high);
        fmt::print("  {:<18}{:>+7.2f} %  {:>20}|{:<20}  {:>+7.2f} %\n", name(s.factor), 100 * faster, bar(faster),
                   bar(slower), 100 * slower);
    }
}

void run(const Options& options) {
    if (options.sensitivity) {
        std::string calibrationName;
        const Sensitivities found = sensitivities(loadScenario(options.scenario, calibrationName), options.by / 100.0);
        if (!options.json) return printSensitivities(found, options.by);
        Json list = Json::array();
        for (const Sensitivity& s : found.factors)
            list.push_back(
                {{"factor", name(s.factor)}, {"step_lower_s", s.lower.value()}, {"step_higher_s", s.higher.value()}});
        const Json out = {{"step_s", found.unchanged.value()}, {"by", options.by / 100.0}, {"factors", list}};
        fmt::print("{}\n", out.dump(2));
        return;
    }
    if (options.over.empty()) throw InputError("sweep: give --over KEY=VALUES, or --sensitivity");
    const std::vector<Axis> axes = axesOf(options);
    const std::vector<Row> rows = rowsOf(options, axes);
    if (firstWithPlan(rows) == nullptr) throw InputError("sweep: no value gives a job: " + rows.front().answer.reason);
    if (options.json) {
        fmt::print("{}\n", Json{{"rows", rowsJson(axes, rows)}}.dump(2, ' ', false, Json::error_handler_t::replace));
    } else if (options.csv) {
        printCsv(axes, rows);
    } else {
        printRows(axes, rows, options.search);
    }
}

}  // namespace

void addSweep(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("sweep", "the same job with other values of its fields, or what it is sensitive to");
    addScenarioOptions(*command, options->scenario);
    command->add_option("--over", options->over,
                        "field and values: cluster.gpus=64..1024 (doubling), workload.sequence_length=4096,8192, "
                        "cluster.gpu=H100-SXM,B200, hardware.network_bandwidth=0.5,1,2 (factors); repeat for a grid");
    command->add_flag("--search", options->search, "the best plan for every value, not the scenario's own");
    command->add_flag("--weak", options->weak, "with cluster.gpus: the batch grows with the GPUs");
    command->add_flag("--sensitivity", options->sensitivity, "what a faster or slower part of the hardware changes");
    command->add_option("--by", options->by, "of --sensitivity, in % (10)")->check(CLI::Range(0.1, 400.0));
    command->add_flag("--csv", options->csv, "as comma-separated values");
    command->add_flag("--json", options->json, "machine-readable (docs/cli.md)");
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
