#include "model/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/predict/prediction.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// Shares of a step on both sides, in seconds; summed over ranks for the overall table.
struct Sides {
    std::array<Seconds, kPhases> predictedPhases{}, measuredPhases{};
    std::array<Seconds, kOpClasses + 1> predictedClasses{}, measuredClasses{};
    Seconds predictedStep{}, measuredStep{};

    void addPredicted(const StepShares& shares, double weight) {
        predictedStep += fromNanoseconds(shares.window.duration()) * weight;
        accumulate(predictedPhases, shares.phases, weight);
        accumulate(predictedClasses, shares.classes, weight);
    }
    void addMeasured(const StepShares& shares, double weight) {
        measuredStep += fromNanoseconds(shares.window.duration()) * weight;
        accumulate(measuredPhases, shares.phases, weight);
        accumulate(measuredClasses, shares.classes, weight);
    }

  private:
    template <typename Into, typename From>
    static void accumulate(Into& into, const From& from, double weight) {
        for (std::size_t row = 0; row < from.size(); ++row) into[row] += fromNanoseconds(from[row]) * weight;
    }
};

template <typename Values, typename Name>
std::vector<TimeRow> rowsOf(const Values& predicted, const Values& measured, Name rowName) {
    std::vector<TimeRow> rows;
    for (std::size_t row = 0; row < predicted.size(); ++row) {
        if (predicted[row] == Seconds{} && measured[row] == Seconds{}) continue;
        rows.push_back({std::string(rowName(row)), predicted[row], measured[row]});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const TimeRow& a, const TimeRow& b) {
        return std::abs(a.difference().value()) > std::abs(b.difference().value());
    });
    return rows;
}

TimeTable tableOf(const Sides& sides, int rank, int stage) {
    TimeTable table;
    table.rank = rank;
    table.stage = stage;
    table.step = {"step", sides.predictedStep, sides.measuredStep};
    table.phases = rowsOf(sides.predictedPhases, sides.measuredPhases,
                          [](std::size_t row) { return name(static_cast<Phase>(row)); });
    table.classes = rowsOf(sides.predictedClasses, sides.measuredClasses, classRowName);
    return table;
}

std::map<int, int> stagesOf(const Timeline& timeline) {
    std::map<int, int> stages;
    for (const auto& track : timeline.tracks) {
        auto& stage = stages.emplace(track.rank, -1).first->second;
        stage = std::max(stage, track.stage);
    }
    return stages;
}

/// Fills steps, stepTimes, medianStep and skippedSteps.
void chooseSteps(Comparison& out, const std::vector<StepShares>& measured, const Timeline& timeline,
                 const CompareOptions& options) {
    auto steps = commonSteps(timeline);
    if (steps.empty()) {
        throw InputError(
            "the profile has no step that every rank recorded; annotate steps (docs/annotations.md) or record at "
            "least one whole step");
    }
    const auto skip = static_cast<std::size_t>(std::max(0, options.skipSteps));
    if (skip >= steps.size()) {
        throw InputError(
            fmt::format("the profile has {} step(s) and {} are skipped as warm-up; record more steps or "
                        "pass --skip-steps {}",
                        steps.size(), skip, steps.size() - 1));
    }
    steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(skip));
    out.skippedSteps = static_cast<int>(skip);
    for (const int step : steps) {
        Seconds total{};
        int ranks = 0;
        for (const auto& shares : measured) {
            if (shares.window.step != step) continue;
            total += fromNanoseconds(shares.window.duration());
            ++ranks;
        }
        out.steps.push_back(step);
        out.stepTimes.push_back(total / ranks);
    }
    std::vector<std::size_t> order(steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
    std::nth_element(order.begin(), middle, order.end(),
                     [&](std::size_t a, std::size_t b) { return out.stepTimes[a] < out.stepTimes[b]; });
    out.medianStep = steps[*middle];
}

void fillTables(Comparison& out, const std::map<int, Sides>& byRank, const std::map<int, int>& stages) {
    Sides mean;
    for (const auto& [rank, sides] : byRank) out.ranks.push_back(tableOf(sides, rank, stages.at(rank)));
    const double weight = 1.0 / static_cast<double>(byRank.size());
    const auto blend = [weight](auto& into, const auto& from) {
        for (std::size_t row = 0; row < from.size(); ++row) into[row] += from[row] * weight;
    };
    for (const auto& [rank, sides] : byRank) {
        blend(mean.predictedPhases, sides.predictedPhases);
        blend(mean.measuredPhases, sides.measuredPhases);
        blend(mean.predictedClasses, sides.predictedClasses);
        blend(mean.measuredClasses, sides.measuredClasses);
        mean.predictedStep += sides.predictedStep * weight;
        mean.measuredStep += sides.measuredStep * weight;
    }
    out.overall = tableOf(mean, -1, -1);
}

}  // namespace

double TimeRow::errorPercent() const {
    if (measured == Seconds{}) return std::numeric_limits<double>::quiet_NaN();
    return 100.0 * (difference() / measured);
}

Comparison compare(const Timeline& predicted, const Timeline& measured, const CompareOptions& options) {
    Comparison out;
    const auto measuredShares = stepShares(measured);
    chooseSteps(out, measuredShares, measured, options);
    std::map<int, Sides> byRank;
    for (const auto& shares : stepShares(predicted)) byRank[shares.window.rank].addPredicted(shares, 1.0);
    std::set<int> unseen;
    for (const auto& [rank, sides] : byRank) unseen.insert(rank);
    std::vector<int> unpredicted;
    for (const auto& shares : measuredShares) {
        if (shares.window.step != out.medianStep) continue;
        const auto found = byRank.find(shares.window.rank);
        if (found == byRank.end()) {
            unpredicted.push_back(shares.window.rank);
            continue;
        }
        unseen.erase(shares.window.rank);
        found->second.addMeasured(shares, 1.0);
    }
    if (!unseen.empty()) {
        throw InputError(
            fmt::format("the prediction has rank {} but the profile does not; record every rank of the "
                        "plan, or give the scenario of the recorded job",
                        *unseen.begin()));
    }
    if (!unpredicted.empty()) {
        out.warnings.push_back(
            fmt::format("{} measured rank(s) stand behind a representative in the prediction and "
                        "are not in the tables: {}",
                        unpredicted.size(), fmt::join(unpredicted, ", ")));
    }
    fillTables(out, byRank, stagesOf(measured));
    return out;
}

Comparison summarize(const Timeline& measured, const CompareOptions& options) {
    Comparison out;
    out.hasPrediction = false;
    const auto shares = stepShares(measured);
    chooseSteps(out, shares, measured, options);
    std::map<int, Sides> byRank;
    for (const auto& step : shares) {
        if (step.window.step == out.medianStep) byRank[step.window.rank].addMeasured(step, 1.0);
    }
    fillTables(out, byRank, stagesOf(measured));
    return out;
}

void checkSameJob(const Scenario& scenario, const Timeline& measured, int worldSize) {
    const auto& tracks = measured.tracks;
    if (std::none_of(tracks.begin(), tracks.end(), [](const Track& track) { return track.lane == Lane::step; })) {
        throw InputError(
            "the profile has no step to compare with; mark the steps of the job (docs/annotations.md, or a profiler "
            "schedule with ProfilerStep) and record it again");
    }
    const auto recorded = static_cast<int>(ranksOf(measured).size());
    const int world = std::max(worldSize, recorded);
    const ParallelPlan& plan = scenario.plan;
    if (world != plan.worldSize()) {
        throw InputError(fmt::format(
            "the profile has {} ranks, the plan needs {} (tp {} x pp {} x dp {} x cp {}); give the scenario of the "
            "recorded job",
            world, plan.worldSize(), plan.tp, plan.pp, plan.dp, plan.cp));
    }
    // Forward tasks of one step of one rank are its micro-batches (times the chunks of its stage).
    std::map<std::pair<int, int>, std::set<int>> microBatches;  // (rank, step)
    for (std::size_t row = 0; row < measured.size(); ++row) {
        const Span span = measured.span(row);
        const Track& track = measured.tracks[span.track];
        if (track.lane != Lane::task || span.phase != Phase::forward || span.microBatch < 0) continue;
        microBatches[{track.rank, span.step}].insert(span.microBatch);
    }
    const auto expected = scenario.workload.microBatches();
    for (const auto& [where, seen] : microBatches) {
        if (static_cast<std::int64_t>(seen.size()) == expected) continue;
        throw InputError(fmt::format(
            "the profile has {} micro-batches in step {} of rank {}, the scenario has {}; give the scenario of the "
            "recorded job",
            seen.size(), where.second, where.first, expected));
    }
}

}  // namespace orrery
