// orrery report: a recorded job as a file to look at or to hand on.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "report/html/job_report.hpp"
#include "report/html/write_report.hpp"

namespace orrery::cli {
namespace {

struct Options {
    std::filesystem::path profile, output;
    int skipSteps = -1;
};

void run(const Options& options) {
    checkReportSuffix(options.output);
    const Profile profile(options.profile);
    writeReport(options.output, reportOf(profile, readMeasuredTimeline(profile), nullptr, options.skipSteps));
    fmt::print("report: {}\n", options.output.string());
}

}  // namespace

void addReport(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("report", "write a report of a recorded job: .html, .csv, .json or .pftrace");
    command->add_option("profile", options->profile, "recorded profile")->required();
    command->add_option("-o,--output", options->output, "where to write; the suffix picks the format")->required();
    command->add_option("--skip-steps", options->skipSteps, "measured steps at the start that do not count (default 1)")
        ->check(CLI::NonNegativeNumber);
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
