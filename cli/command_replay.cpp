// orrery replay: what a measured job would take if something in it were even, faster or gone.
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/replay_output.hpp"
#include "cli/temporary_profile.hpp"
#include "cli/warnings.hpp"
#include "data/replay/replay_input.hpp"
#include "model/replay/what_if.hpp"
#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

struct Options {
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> even, scale;
    int skipSteps = 0;
    bool json = false;
};

struct Scale {
    WhatIfTarget target;
    double factor = 1.0;
};

/// "compute=0.9" -> its ops and 0.9.
Scale parseScale(const std::string& text, const ReplayGraph& graph) {
    const auto equals = text.rfind('=');
    const char* end = text.data() + text.size();
    double factor = 0.0;
    const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [stop, error] = std::from_chars(begin, end, factor);
    if (error != std::errc{} || stop != end || !std::isfinite(factor) || factor < 0.0) {
        throw InputError(fmt::format("--scale '{}': write WHAT=FACTOR with a factor of 0 or more (compute=0.9)", text));
    }
    return {parseWhatIfTarget(std::string_view(text).substr(0, equals), graph), factor};
}

/// The no-delay run with everything asked for: first evened out, then scaled, in the order given.
std::optional<WhatIfResult> whatIf(const ReplayGraph& graph, const Options& options) {
    if (options.even.empty() && options.scale.empty()) return std::nullopt;
    WhatIfResult result;
    const auto even = evenDurations(graph);
    auto durations = graph.recorded();
    for (const auto& text : options.even) {
        durations = replaced(graph, std::move(durations), parseWhatIfTarget(text, graph), even);
        result.changes.push_back(fmt::format("even {}", text));
    }
    for (const auto& text : options.scale) {
        const Scale scale = parseScale(text, graph);
        durations = scaled(graph, std::move(durations), scale.target, scale.factor);
        result.changes.push_back(fmt::format("scale {}", text));
    }
    result.step = meanStep(graph.simulate(durations));
    return result;
}

void run(const Options& options) {
    const TemporaryProfile profile(options.paths, terminalProgress());
    printWarnings(profile.summary());
    ReplayInput input = readReplayInput(Profile(profile.file()), options.skipSteps);
    const ReplayGraph graph(std::move(input.job));
    ReplayOutput output;
    output.whatIf = whatIf(graph, options);
    output.analysis = analyseStragglers(graph);
    output.workload = checkWorkload(graph);
    output.warnings = std::move(input.warnings);
    output.warnings.insert(output.warnings.end(), graph.warnings().begin(), graph.warnings().end());
    fmt::print("{}", options.json ? replayJson(graph, output) : replayText(graph, output));
    if (options.json) return;
    for (const auto& warning : output.warnings) fmt::print(stderr, "warning: {}\n", warning);
}

}  // namespace

void addReplay(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("replay", "what-if on a measured job: stragglers, and the step without them");
    command->add_option("profile", options->paths, "recorded profile, or traces of one job")->required();
    command
        ->add_option("--even", options->even,
                     "even out compute, comm, all, rank:R, stage:S, worker:R,S or op:NAME; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--scale", options->scale, "multiply durations: WHAT=FACTOR, WHAT as for --even; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--skip-steps", options->skipSteps, "recorded steps at the start that do not count (default 0)")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--json", options->json, "machine-readable output (docs/cli.md)");
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
