#include "model/predict/memory_curve.hpp"

#include <algorithm>
#include <map>

#include "model/predict/task_costs.hpp"

namespace orrery {
namespace {

struct Change {
    std::int64_t time = 0;
    double bytes = 0.0;
};

/// First rank of each stage that has tasks: replica 0's.
std::map<int, int> ranksOfStages(const Timeline& timeline) {
    std::map<int, int> ranks;
    for (const Track& track : timeline.tracks) {
        if (track.lane != Lane::task || track.stage < 0) continue;
        const auto [found, isNew] = ranks.try_emplace(track.stage, track.rank);
        if (!isNew) found->second = std::min(found->second, track.rank);
    }
    return ranks;
}

/// Passes of one rank's tasks in time, by whether they begin or end what is held.
struct Passes {
    std::map<int, std::vector<std::int64_t>> begins, ends;  ///< per micro-batch: start of forward, end of release
};

Passes passesOf(const Timeline& timeline, int rank, Phase release) {
    std::vector<Span> spans;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const Track& track = timeline.tracks[span.track];
        if (track.lane == Lane::task && track.rank == rank && span.microBatch >= 0) spans.push_back(span);
    }
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
    Passes passes;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const Span& span = spans[i];
        if (span.phase == Phase::forward) passes.begins[span.microBatch].push_back(span.start);
        if (span.phase != release) continue;
        // Times are rounded to ns: what ends must not outlast the start of what follows it.
        const bool last = i + 1 == spans.size();
        passes.ends[span.microBatch].push_back(last ? span.end() : std::min(span.end(), spans[i + 1].start));
    }
    return passes;
}

}  // namespace

std::vector<MemoryCurve> memoryCurves(const Scenario& scenario, const Timeline& predicted) {
    const CostModel cost = costModelOf(scenario);
    const IndexedWorkload workload(scenario.workload);
    const PlanGroups groups(scenario.model, scenario.plan, scenario.cluster);
    const Schedule layout = layoutOf(scenario.plan);
    PredictMemo memo;
    const TaskCosts costs(scenario.model, scenario.plan, cost, groups, workload.shapes, layout, memo);
    const auto& shapeOf = workload.shapeOf[workload.listOf.front()];
    const auto positions = static_cast<std::size_t>(layout.virtualStages());
    const auto held = [&](int stage, int microBatch, std::size_t pass) {
        const int chunk = layout.mirrored() ? microBatch % 2 : static_cast<int>(pass);
        return costs.heldBytes()[shapeOf[static_cast<std::size_t>(microBatch)] * positions +
                                 static_cast<std::size_t>(layout.virtualStage(stage, chunk))];
    };
    const Phase release = layout.splitBackward ? Phase::backwardWeight : Phase::backward;
    std::vector<MemoryCurve> curves;
    for (const auto& [stage, rank] : ranksOfStages(predicted)) {
        std::vector<Change> changes;
        const Passes passes = passesOf(predicted, rank, release);
        for (const auto& [microBatch, begins] : passes.begins) {
            if (static_cast<std::size_t>(microBatch) >= shapeOf.size()) continue;
            for (std::size_t i = 0; i < begins.size(); ++i) changes.push_back({begins[i], held(stage, microBatch, i)});
            const auto ends = passes.ends.find(microBatch);
            if (ends == passes.ends.end()) continue;
            for (std::size_t i = 0; i < ends->second.size() && i < begins.size(); ++i)
                changes.push_back({ends->second[i], -held(stage, microBatch, begins.size() - 1 - i)});
        }
        // At one instant what ends goes before what begins: the next pass takes its place.
        std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
            return a.time != b.time ? a.time < b.time : a.bytes < b.bytes;
        });
        MemoryCurve curve{stage, rank, {{0, Bytes{}}}, 0, Bytes{}};
        double sum = 0.0;
        for (const Change& change : changes) {
            sum += change.bytes;
            curve.points.push_back({change.time, Bytes(std::max(0.0, sum))});
            if (sum > curve.peak.value() * (1.0 + 1e-12)) {
                curve.peak = Bytes(sum);
                curve.peakTime = change.time;
            }
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

}  // namespace orrery
