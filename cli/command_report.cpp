// orrery report: a recorded job, alone or beside its prediction, as a file to look at or to hand on.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/predicted_job.hpp"
#include "report/html/job_report.hpp"
#include "report/html/write_report.hpp"

namespace orrery::cli {
namespace {

struct Options {
    std::filesystem::path profile, output;
    ScenarioOptions scenario;
    int skipSteps = -1;
};

ReportData gather(const Options& options) {
    const Profile profile(options.profile);
    const MeasuredTimeline measured = readMeasuredTimeline(profile);
    if (options.scenario.scenario.empty()) return reportOf(profile, measured, nullptr, options.skipSteps);
    const PredictedJob job = predictJob(options.scenario);
    const JobPrediction predicted{job.scenario, job.prediction};
    return reportOf(profile, measured, &predicted, options.skipSteps);
}

void run(const Options& options) {
    checkReportSuffix(options.output);
    writeReport(options.output, gather(options));
    fmt::print("report: {}\n", options.output.string());
}

}  // namespace

void addReport(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("report", "Write a report of a recorded job: .html, .csv, .json or .pftrace");
    command->add_option("profile", options->profile, "recorded profile")->required();
    auto* scenario =
        command->add_option("scenario", options->scenario.scenario, "scenario to predict and compare with");
    command->add_option("-o,--output", options->output, "where to write; the suffix picks the format")->required();
    command->add_option("--calibration", options->scenario.calibration, "calibration to predict with")->needs(scenario);
    command->add_option("--skip-steps", options->skipSteps, "measured steps at the start that do not count (default 1)")
        ->check(CLI::NonNegativeNumber);
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
