// orrery search: the best plans for a job, by prediction.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/mpi_peers.hpp"
#include "cli/search_output.hpp"
#include "data/scenario/search_file.hpp"

namespace orrery::cli {
namespace {

struct Options {
    std::filesystem::path scenario, calibration;
    int top = 10;
    int threads = 0;
    bool exhaustive = false;
    bool pareto = false;
    bool json = false;
};

/// "12,345 of 67,890 plans, 3 s left" on a terminal.
std::function<void(const SearchProgress&)> terminalReport() {
    if (::isatty(STDERR_FILENO) == 0) return {};
    using Clock = std::chrono::steady_clock;
    return [begin = Clock::now(), simulating = false](const SearchProgress& progress) mutable {
        if (progress.simulating != simulating) begin = Clock::now();
        simulating = progress.simulating;
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        const double left = seconds * static_cast<double>(progress.all - progress.done) /
                            static_cast<double>(std::max<std::int64_t>(1, progress.done));
        fmt::print(stderr, "\r{} {} of {}, at most {:.0f} s left{} \x1b[K", simulating ? "run" : "plan", progress.done,
                   progress.all, left,
                   progress.best > 0.0 ? fmt::format(", best {:.3f} s", progress.best) : std::string());
        if (progress.done == progress.all) fmt::print(stderr, "\r\x1b[K");
        std::fflush(stderr);
    };
}

void run(const Options& options) {
    const ScenarioSearch read = readSearch(options.scenario, {.calibration = options.calibration, .overrides = {}});
    SearchOptions how;
    how.top = options.top;
    how.exhaustive = options.exhaustive;
    how.threads = options.threads;
    how.stop = &stopOnInterrupt();
    const std::unique_ptr<MpiPeers> peers = MpiPeers::join(*how.stop);
    how.peers = peers.get();
    const bool speaks = peers == nullptr || peers->rank() == 0;
    if (speaks) how.progress = terminalReport();
    const auto begin = std::chrono::steady_clock::now();
    const SearchResult result = search(read.problem, how);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (peers != nullptr && peers->lost() && speaks)
        fmt::print(stderr, "orrery: warning: a process of the MPI job was lost; this is what was found until then\n");
    if (!speaks) return;
    if (options.json) {
        fmt::print("{}\n",
                   searchJson(read, result, seconds).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        printSearch(read, result, seconds, options.pareto);
    }
}

}  // namespace

void addSearch(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("search", "the best plans for a job: every plan that [plan] leaves open");
    command->add_option("scenario", options->scenario, "scenario file (TOML) with lists, ranges or \"auto\" in [plan]")
        ->required();
    command->add_option("--calibration", options->calibration,
                        "made by 'orrery calibrate'; replaces the scenario's own");
    command->add_option("--top", options->top, "how many plans to list (10)")->check(CLI::Range(1, 100000));
    command->add_option("--threads", options->threads, "threads (all cores)")->check(CLI::Range(1, 4096));
    command->add_flag("--pareto", options->pareto, "also the plans that no other beats in both time and memory");
    command->add_flag("--exhaustive", options->exhaustive,
                      "run every schedule, also of plans whose lower bound already rules them out");
    command->add_flag("--json", options->json, "machine-readable (docs/cli.md)");
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
