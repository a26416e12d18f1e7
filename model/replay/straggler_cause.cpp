#include "model/replay/straggler_cause.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace orrery {
namespace {

constexpr double kUneven = 1.1, kExplains = 0.5, kCorrelated = 0.9, kMuch = 0.25;
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

std::string slowWorkersText(const StragglerAnalysis& analysis) {
    const auto count = analysis.slowestWorkers.size();
    return fmt::format("{} slow worker{}: {}; {} {:.0f} % of the slowdown of {:.2f}",
                       count == 1 ? std::string("one") : std::to_string(count), count == 1 ? "" : "s",
                       workersText(analysis.slowestWorkers), count == 1 ? "it explains" : "they explain",
                       percent(analysis.explained.slowestWorkers), analysis.slowdown);
}

/// Other causes that explain much as well; empty when there are none.
std::string nextText(const StragglerAnalysis& analysis, StragglerCause named) {
    const auto& shares = analysis.explained;
    std::vector<std::string> others;
    const auto add = [&](StragglerCause cause, const char* text, double share) {
        const bool stages = cause == StragglerCause::lastStage || cause == StragglerCause::unevenStages;
        const bool same =
            cause == named || (stages && (named == StragglerCause::lastStage || named == StragglerCause::unevenStages));
        if (!same && share >= kMuch) others.push_back(fmt::format("{} {:.0f} %", text, percent(share)));
    };
    add(StragglerCause::lastStage, "the last stage", shares.lastStage);
    add(StragglerCause::unevenMicroBatches, "uneven micro-batches", shares.microBatches);
    add(StragglerCause::communication, "communication", shares.communication);
    return others.empty() ? std::string() : fmt::format(" (next: {})", fmt::join(others, ", "));
}

std::string microBatchText(const StragglerAnalysis& analysis) {
    const double correlation = analysis.forwardBackwardCorrelation;
    const auto share = percent(analysis.explained.microBatches);
    const auto next = nextText(analysis, StragglerCause::unevenMicroBatches);
    if (correlation >= kCorrelated) {
        return fmt::format(
            "sequence lengths: uneven micro-batches explain {:.0f} % of the slowdown of {:.2f}{}; forward "
            "and backward times of a micro-batch rise together (correlation {:.2f})",
            share, analysis.slowdown, next, correlation);
    }
    return fmt::format(
        "uneven micro-batches explain {:.0f} % of the slowdown of {:.2f}{}; forward and backward times of a "
        "micro-batch do not rise together (correlation {:.2f}): jitter rather than sequence lengths",
        share, analysis.slowdown, next, correlation);
}

/// The family of transfers that costs most, as words to follow "slow communication".
std::string slowestTransfer(const ReplayGraph& graph, const StragglerAnalysis& analysis) {
    for (const auto& [family, slowdown] : analysis.byOp) {
        for (const auto& type : graph.job().types) {
            if (type.family == family && !isCompute(type)) return fmt::format(", above all {}", family);
        }
    }
    return {};
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
    const double slowdown = analysis.slowdown;
    const auto set = [&](StragglerCause cause, std::string text) {
        analysis.cause = cause;
        analysis.causeText = std::move(text);
    };
    if (slowdown < kUneven) {
        return set(StragglerCause::none,
                   fmt::format("no straggler: the job runs within {:.0f} % of an even one", 100.0 * (kUneven - 1.0)));
    }
    if (graph.job().dp * graph.job().pp > 1 && shares.slowestWorkers >= kExplains &&
        shares.slowestWorkers >= shares.lastStage) {
        return set(StragglerCause::slowWorkers, slowWorkersText(analysis));
    }
    const double largest = std::max({shares.lastStage, shares.stages, shares.microBatches, shares.communication});
    if (largest < kExplains) return set(StragglerCause::mixed, mixedText(analysis));
    if (largest == shares.lastStage) {
        return set(StragglerCause::lastStage,
                   fmt::format("long last stage (loss and output layer): stage {} explains {:.0f} % of the slowdown of "
                               "{:.2f}{}; give it fewer layers",
                               graph.job().pp - 1, percent(shares.lastStage), slowdown,
                               nextText(analysis, StragglerCause::lastStage)));
    }
    if (largest == shares.microBatches) return set(StragglerCause::unevenMicroBatches, microBatchText(analysis));
    if (largest == shares.stages) {
        const auto slowest = std::max_element(analysis.byStage.begin(), analysis.byStage.end());
        return set(
            StragglerCause::unevenStages,
            fmt::format("uneven stages: stage {} is the slowest; even stages would take {:.0f} % of the slowdown "
                        "of {:.2f} away{}",
                        slowest - analysis.byStage.begin(), percent(shares.stages), slowdown,
                        nextText(analysis, StragglerCause::unevenStages)));
    }
    set(StragglerCause::communication,
        fmt::format("slow communication{}: it explains {:.0f} % of the slowdown of {:.2f}{}",
                    slowestTransfer(graph, analysis), percent(shares.communication), slowdown,
                    nextText(analysis, StragglerCause::communication)));
}

}  // namespace orrery
