#include "model/replay/straggler_analysis.hpp"

#include <algorithm>
#include <tuple>

#include "model/replay/micro_batch_variation.hpp"
#include "model/replay/straggler_cause.hpp"
#include "model/replay/what_if.hpp"

namespace orrery {
namespace {

constexpr std::size_t kSlowestPercent = 3;  ///< of the workers (Lin et al. 2025, eq. 5)

/// Step times with some ops at their recorded durations and the others even, and the other way round.
class Replays {
  public:
    Replays(const ReplayGraph& graph, const StragglerAnalysis& base, const std::vector<double>& even)
        : graph_(graph), base_(base), even_(even) {}

    /// The ideal run with these ops back at their recorded durations, over the ideal.
    [[nodiscard]] double slowdown(const WhatIfTarget& target) const {
        return step(replaced(graph_, even_, target, graph_.recorded())) / base_.ideal;
    }
    /// Share of the slowdown that goes when the run takes these durations.
    [[nodiscard]] double share(const std::vector<double>& durations) const {
        const double slowdown = base_.noDelay - base_.ideal;
        return slowdown > 1e-9 * base_.ideal ? (base_.noDelay - step(durations)) / slowdown : 0.0;
    }
    [[nodiscard]] double share(const std::vector<WhatIfTarget>& targets) const {
        auto durations = graph_.recorded();
        for (const auto& target : targets) durations = replaced(graph_, std::move(durations), target, even_);
        return share(durations);
    }

  private:
    [[nodiscard]] double step(const std::vector<double>& durations) const {
        return meanStep(graph_.simulate(durations));
    }
    const ReplayGraph& graph_;
    const StragglerAnalysis& base_;
    const std::vector<double>& even_;
};

WhatIfTarget target(WhatIfTarget::Kind kind, int dp, int stage) {
    WhatIfTarget made;
    made.kind = kind;
    made.dp = dp;
    made.stage = stage;
    return made;
}

std::vector<std::pair<std::string, double>> slowdownsByOp(const ReplayGraph& graph, const Replays& replays) {
    std::vector<std::pair<std::string, double>> out;
    for (const auto& type : graph.job().types) {
        const auto known = [&](const auto& entry) { return entry.first == type.family; };
        if (std::any_of(out.begin(), out.end(), known)) continue;
        WhatIfTarget family;
        family.kind = WhatIfTarget::Kind::op;
        family.op = type.family;
        out.emplace_back(type.family, replays.slowdown(family));
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return out;
}

void addWorkers(StragglerAnalysis& out) {
    for (std::size_t dp = 0; dp < out.byDpRank.size(); ++dp) {
        for (std::size_t stage = 0; stage < out.byStage.size(); ++stage) {
            out.byWorker.push_back(
                {static_cast<int>(dp), static_cast<int>(stage), std::min(out.byDpRank[dp], out.byStage[stage])});
        }
    }
    std::stable_sort(out.byWorker.begin(), out.byWorker.end(),
                     [](const auto& a, const auto& b) { return a.slowdown > b.slowdown; });
    const std::size_t slowest = (out.byWorker.size() * kSlowestPercent + 99) / 100;
    out.slowestWorkers.assign(out.byWorker.begin(), out.byWorker.begin() + static_cast<std::ptrdiff_t>(slowest));
}

}  // namespace

StragglerAnalysis analyseStragglers(const ReplayGraph& graph) {
    using Kind = WhatIfTarget::Kind;
    const auto& job = graph.job();
    const auto even = evenDurations(graph);
    StragglerAnalysis out;
    out.recordedSteps = graph.recordedSteps();
    out.noDelaySteps = graph.simulate(graph.recorded());
    out.idealSteps = graph.simulate(even);
    out.recorded = meanStep(out.recordedSteps);
    out.noDelay = meanStep(out.noDelaySteps);
    out.ideal = meanStep(out.idealSteps);
    if (out.ideal <= 0.0) {  // all durations are 0: nothing to explain
        out.byDpRank.assign(static_cast<std::size_t>(job.dp), 1.0);
        out.byStage.assign(static_cast<std::size_t>(job.pp), 1.0);
        describeCause(graph, out);
        return out;
    }
    out.slowdown = out.noDelay / out.ideal;

    const Replays replays(graph, out, even);
    for (int dp = 0; dp < job.dp; ++dp) out.byDpRank.push_back(replays.slowdown(target(Kind::dpRank, dp, -1)));
    for (int stage = 0; stage < job.pp; ++stage)
        out.byStage.push_back(replays.slowdown(target(Kind::stage, -1, stage)));
    out.byOp = slowdownsByOp(graph, replays);
    addWorkers(out);

    std::vector<WhatIfTarget> slowest;
    for (const auto& worker : out.slowestWorkers) slowest.push_back(target(Kind::worker, worker.dp, worker.stage));
    out.explained.slowestWorkers = replays.share(slowest);
    if (job.pp > 1) {
        out.explained.lastStage = replays.share(std::vector{target(Kind::stage, -1, job.pp - 1)});
        out.explained.stages = replays.share(evenBetweenStages(graph));
    }
    out.explained.microBatches = replays.share(evenWithinWorkers(graph));
    out.explained.communication = replays.share(std::vector{target(Kind::comm, -1, -1)});
    out.forwardBackwardCorrelation = forwardBackwardCorrelation(graph);
    describeCause(graph, out);
    return out;
}

}  // namespace orrery
