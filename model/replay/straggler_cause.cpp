#include "model/replay/straggler_cause.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace orrery {
namespace {

constexpr double kUneven = 1.1, kExplains = 0.5, kCorrelated = 0.9;
constexpr std::size_t kNamedWorkers = 4;

double percent(double share) {
    return 100.0 * share;
}

/// "DP rank 0, stage 0", at most a few of them.
std::string workersText(const std::vector<WorkerSlowdown>& workers) {
    std::vector<std::string> names;
    for (const auto& worker : workers) {
        if (names.size() == kNamedWorkers) {
            names.push_back("...");
            break;
        }
        names.push_back(fmt::format("DP rank {}, stage {}", worker.dp, worker.stage));
    }
    return fmt::format("{}", fmt::join(names, "; "));
}

std::string microBatchText(const StragglerAnalysis& analysis) {
    const bool lengths = analysis.forwardBackwardCorrelation >= kCorrelated;
    return fmt::format(
        "uneven micro-batches: passes of the same worker differ, which explains {:.0f} % of the "
        "slowdown; forward and backward times of a micro-batch {} (correlation {:.2f}){}",
        percent(analysis.explained.microBatches), lengths ? "rise together" : "do not rise together",
        analysis.forwardBackwardCorrelation,
        lengths ? ", as sequences of different lengths cause" : ": jitter rather than sequence lengths");
}

std::string mixedText(const StragglerAnalysis& analysis) {
    const auto& shares = analysis.explained;
    return fmt::format(
        "several causes, none explains half: slowest workers {:.0f} %, last stage {:.0f} %, uneven "
        "stages {:.0f} %, uneven micro-batches {:.0f} %, communication {:.0f} %",
        percent(shares.slowestWorkers), percent(shares.lastStage), percent(shares.stages), percent(shares.microBatches),
        percent(shares.communication));
}

}  // namespace

std::string_view name(StragglerCause cause) {
    switch (cause) {
        case StragglerCause::none:
            return "none";
        case StragglerCause::slowWorkers:
            return "slow_workers";
        case StragglerCause::lastStage:
            return "last_stage";
        case StragglerCause::unevenStages:
            return "uneven_stages";
        case StragglerCause::unevenMicroBatches:
            return "uneven_micro_batches";
        case StragglerCause::communication:
            return "communication";
        case StragglerCause::mixed:
            return "mixed";
    }
    return "none";
}

void describeCause(const ReplayGraph& graph, StragglerAnalysis& analysis) {
    const auto& shares = analysis.explained;
    const auto set = [&](StragglerCause cause, std::string text) {
        analysis.cause = cause;
        analysis.causeText = std::move(text);
    };
    if (analysis.slowdown < kUneven) {
        return set(StragglerCause::none,
                   fmt::format("no straggler: the job runs within {:.0f} % of an even one", 100.0 * (kUneven - 1.0)));
    }
    const double slowdown = analysis.slowdown;
    if (graph.job().dp * graph.job().pp > 1 && shares.slowestWorkers >= kExplains &&
        shares.slowestWorkers >= shares.lastStage) {
        const auto count = analysis.slowestWorkers.size();
        return set(StragglerCause::slowWorkers,
                   fmt::format("{} slow worker{}: {}; {} {:.0f} % of the slowdown of {:.2f}",
                               count == 1 ? std::string("one") : std::to_string(count), count == 1 ? "" : "s",
                               workersText(analysis.slowestWorkers), count == 1 ? "it explains" : "they explain",
                               percent(shares.slowestWorkers), slowdown));
    }
    if (shares.lastStage >= kExplains) {
        return set(StragglerCause::lastStage,
                   fmt::format("long last stage (loss and output layer): stage {} explains {:.0f} % of the slowdown of "
                               "{:.2f}; give it fewer layers",
                               graph.job().pp - 1, percent(shares.lastStage), slowdown));
    }
    const double largest = std::max({shares.stages, shares.microBatches, shares.communication});
    if (largest < kExplains) return set(StragglerCause::mixed, mixedText(analysis));
    if (largest == shares.microBatches) return set(StragglerCause::unevenMicroBatches, microBatchText(analysis));
    if (largest == shares.stages) {
        const auto slowest = std::max_element(analysis.byStage.begin(), analysis.byStage.end());
        return set(
            StragglerCause::unevenStages,
            fmt::format("uneven stages: stage {} is the slowest; even stages would take {:.0f} % of the slowdown "
                        "of {:.2f} away",
                        slowest - analysis.byStage.begin(), percent(shares.stages), slowdown));
    }
    const auto transfer = std::find_if(analysis.byOp.begin(), analysis.byOp.end(), [&](const auto& entry) {
        return std::any_of(graph.job().types.begin(), graph.job().types.end(),
                           [&](const OpType& type) { return type.family == entry.first && !isCompute(type); });
    });
    set(StragglerCause::communication,
        fmt::format("slow communication{}: it explains {:.0f} % of the slowdown of {:.2f}",
                    transfer == analysis.byOp.end() ? std::string() : ", above all " + transfer->first,
                    percent(shares.communication), slowdown));
}

}  // namespace orrery
