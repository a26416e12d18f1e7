// orrery validate: predict every published row, report errors by source.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/gpu_lookup.hpp"
#include "cli/prediction_json.hpp"
#include "data/calibration/calibration_file.hpp"
#include "data/calibration/shipped_calibration.hpp"
#include "data/published/validation.hpp"
#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::filesystem::path table, calibration;
    bool json = false, markdown = false, rows = false;
};

template <typename T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json toJson(const Validation& validation, const std::string& calibration) {
    Json json;
    json["calibration"] = calibration;
    json["rows"] = Json::array();
    for (const ValidatedRow& row : validation.rows) {
        const bool predicted = row.skipped.empty();
        Json breakdown = Json::object();
        for (const auto& [part, seconds] : row.breakdown) breakdown[part] = seconds.value();
        json["rows"].push_back({{"id", row.id},
                                {"source", row.source},
                                {"measured_step_s", predicted ? Json(row.measuredStep) : Json(nullptr)},
                                {"predicted_step_s", predicted ? Json(row.predictedStep) : Json(nullptr)},
                                {"error_pct", predicted ? Json(row.errorPercent) : Json(nullptr)},
                                {"measured_peak_gib", orNull(row.measuredPeakGib)},
                                {"predicted_peak_gib", orNull(row.predictedPeakGib)},
                                {"memory_error_pct", orNull(row.memoryErrorPercent)},
                                {"skipped", predicted ? Json(nullptr) : Json(row.skipped)},
                                {"predicted_memory_gib", predicted ? memoryJson(row.memory) : Json(nullptr)},
                                {"breakdown_s", breakdown},
                                {"basis", row.basis},
                                {"assumptions", row.assumptions}});
    }
    json["summary"] = Json::array();
    for (const SourceErrors& s : validation.summary) {
        json["summary"].push_back({{"source", s.source},
                                   {"n", s.n},
                                   {"mape", s.mean},
                                   {"median", s.median},
                                   {"p95", s.p95},
                                   {"max", s.max},
                                   {"bias", s.bias},
                                   {"skipped", s.skipped},
                                   {"memory_rows", s.memoryRows},
                                   {"memory_mape", orNull(s.memoryMean)}});
    }
    json["mean_of_medians"] = validation.meanOfMedians;
    json["skipped"] = validation.skipReasons;
    return json;
}

std::string memoryText(const SourceErrors& s) {
    return s.memoryMean ? fmt::format("{:.1f} ({})", *s.memoryMean, s.memoryRows) : std::string("-");
}

void printText(const Validation& validation, const std::string& calibration) {
    fmt::print("calibration: {}\n", calibration);
    fmt::print("{:<14} {:>5} {:>8} {:>8} {:>8} {:>8} {:>8} {:>14} {:>8}\n", "source", "n", "mean%", "median%", "p95%",
               "max%", "bias%", "memory% (n)", "skipped");
    for (const SourceErrors& s : validation.summary) {
        fmt::print("{:<14} {:>5} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>+8.1f} {:>14} {:>8}\n", s.source, s.n, s.mean,
                   s.median, s.p95, s.max, s.bias, memoryText(s), s.skipped);
    }
    fmt::print("mean over sources of the median: {:.1f} %\n", validation.meanOfMedians);
    for (const auto& [reason, count] : validation.skipReasons) fmt::print("skipped {:>4}: {}\n", count, reason);
}

/// docs/validation.md is this text.
void printMarkdown(const Validation& validation, const std::string& calibration) {
    fmt::print("| source | rows | mean % | median % | p95 % | max % | bias % | memory % (rows) | skipped |\n");
    fmt::print("|---|---|---|---|---|---|---|---|---|\n");
    for (const SourceErrors& s : validation.summary) {
        fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:+.1f} | {} | {} |\n", s.source, s.n, s.mean,
                   s.median, s.p95, s.max, s.bias, memoryText(s), s.skipped);
    }
    fmt::print("\nMean over sources of the median: {:.1f} %. Calibration: {}.\n\nRows left out:\n\n",
               validation.meanOfMedians, calibration);
    for (const auto& [reason, count] : validation.skipReasons) fmt::print("- {}: {}\n", count, reason);
}

void run(const Options& options) {
    const CsvTable table = CsvTable::read(options.table);
    if (!looksLikeTrainingCsv(table)) {
        throw InputError(
            fmt::format("{}: no table of training measurements; it needs the columns of training.csv "
                        "(docs/validation.md)",
                        options.table.string()));
    }
    const Calibration calibration =
        options.calibration.empty() ? shippedCalibration() : readCalibration(options.calibration);
    const Validation validation = validateRows(readTrainingCsv(table), catalogGpus(), catalogRuntimes(), calibration);
    const std::string used =
        options.calibration.empty() ? "shipped with orrery (" + calibration.name + ")" : calibration.name;
    if (options.json) {
        fmt::print("{}\n", toJson(validation, used).dump(1));
    } else if (options.markdown) {
        printMarkdown(validation, used);
    } else {
        printText(validation, used);
        if (!options.rows) return;
        for (const ValidatedRow& row : validation.rows) {
            if (!row.skipped.empty()) continue;
            fmt::print("{:<20} measured {:>10.4f} s ({})  predicted {:>10.4f} s  {:>+7.1f} %\n", row.id,
                       row.measuredStep, row.basis, row.predictedStep, row.errorPercent);
        }
    }
}

}  // namespace

void addValidate(CLI::App& app) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("validate", "Predict published training measurements and report the errors");
    command->add_option("measurements", options->table, "table with the columns of training.csv")->required();
    command->add_option("--calibration", options->calibration, "calibration to use instead of the shipped one");
    command->add_flag("--json", options->json, "print rows and summary as JSON");
    command->add_flag("--markdown", options->markdown, "print the tables of docs/validation.md");
    command->add_flag("--rows", options->rows, "also print every predicted row");
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
