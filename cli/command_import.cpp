// orrery import: any known format into one profile.
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/warnings.hpp"
#include "importers/import_paths.hpp"
#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

struct Options {
    std::vector<std::filesystem::path> paths;
    std::filesystem::path output;
    bool strict = false;
    bool host = false;
    std::vector<std::int64_t> ranks;
};

void run(const Options& options) {
    ProfileWriter writer(options.output);
    importers::Progress progress = terminalProgress();
    progress.hostOperators = options.host;
    const importers::ImportSummary summary = importers::importPaths(options.paths, writer, progress, options.ranks);
    const std::size_t warnings = printWarnings(summary);
    if (options.strict && warnings > 0) {
        throw InputError(fmt::format("{} warnings with --strict; nothing was written", warnings));
    }
    writer.finish();
    std::int64_t events = 0;
    for (const auto& file : summary.files) events += file.result.events;
    fmt::print("{}: {} file{}, {} events\n", options.output.string(), summary.files.size(),
               summary.files.size() == 1 ? "" : "s", events);
}

}  // namespace

void addImport(CLI::App& app) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("import", "read traces of any known format into one profile");
    command->add_option("paths", options->paths, "files and folders; a folder is one job with a file a rank")
        ->required();
    command->add_option("-o,--output", options->output, "the profile to write")->required();
    command->add_flag("--strict", options->strict, "fail when anything in the files is broken");
    command->add_flag("--host", options->host, "keep operators, Python functions and API calls of the host as well");
    command
        ->add_option("--ranks", options->ranks, "which rank each recorded process is, in the order of the files: 0,1,2")
        ->delimiter(',');
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
