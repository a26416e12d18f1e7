// orrery compare: the predicted step held against the measured one, as a table, JSON or an HTML report.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/compare_log.hpp"
#include "cli/predicted_job.hpp"
#include "importers/io/file_reader.hpp"
#include "model/units/input_error.hpp"
#include "report/html/job_report.hpp"
#include "report/html/write_report.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::cli {
namespace {

constexpr std::size_t kLogHead = std::size_t{4} << 20U;  ///< programs print a lot before their first step

struct Options {
    std::filesystem::path profile, report;
    ScenarioOptions scenario;
    int skipSteps = -1;
    bool json = false, perRank = false;
};

void run(const Options& options) {
    if (!options.report.empty()) checkReportSuffix(options.report);
    if (importers::isTrainingLog(importers::readHead(options.profile, kLogHead))) {
        if (!options.report.empty())
            throw InputError(
                fmt::format("{}: a log has no timeline to report on; leave out --report", options.profile.string()));
        return compareLog(options.profile, options.scenario, options.skipSteps, options.json);
    }
    const Profile profile(options.profile);
    const MeasuredTimeline measured = readMeasuredTimeline(profile);
    const PredictedJob job = predictJob(options.scenario);
    const JobPrediction predicted{job.scenario, job.prediction};
    ReportData data = reportOf(profile, measured, &predicted, options.skipSteps);
    data.comparison.warnings = data.warnings;  // what the prediction and the recording warn of belongs to the figures
    if (!options.report.empty()) writeReport(options.report, data);
    if (options.json) {
        fmt::print("{}", comparisonJson(data.comparison));
        return;
    }
    fmt::print("{}", comparisonText(data.comparison, options.perRank));
    for (const auto& warning : data.warnings) fmt::print(stderr, "warning: {}\n", warning);
    if (!options.report.empty()) fmt::print("\nreport: {}\n", options.report.string());
}

}  // namespace

void addCompare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("compare", "Where the time went: a recorded job against its prediction");
    command
        ->add_option("profile", options->profile, "recorded profile, or a log of Megatron-LM, DeepSpeed or torchtitan")
        ->required();
    addScenarioOptions(*command, options->scenario);
    command->add_option("--report", options->report, "also write a report: .html, .csv, .json or .pftrace");
    command->add_option("--skip-steps", options->skipSteps, "measured steps at the start that do not count (default 1)")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--per-rank", options->perRank, "print a table of each rank too");
    command->add_flag("--json", options->json, "machine-readable output (docs/report.md)");
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
