#include "model/predict/replica_runs.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/schedule/closed_forms.hpp"
#include "model/schedule/stage_bounds.hpp"

namespace orrery {
namespace {

/// Slowest device of each stage of a replica; empty when all are nominal.
std::vector<double> stageSpeeds(const ParallelPlan& plan, const ClusterSpec& cluster, int replica) {
    if (cluster.deviceSpeed.empty()) return {};
    std::vector<double> speeds;
    for (int stage = 0; stage < plan.pp; ++stage) {
        const int first = firstRank(plan, replica, stage);
        double slowest = cluster.speedOf(first);
        for (int i = 1; i < plan.tp * plan.cp; ++i) slowest = std::min(slowest, cluster.speedOf(first + i));
        speeds.push_back(slowest);
    }
    return speeds;
}

/// Layers of each chunk of a stage, and their sum.
int layersOf(const Schedule& schedule, const TaskCosts& costs, int stage, int chunk) {
    return costs.layers()[static_cast<std::size_t>(schedule.virtualStage(stage, chunk))];
}
int layersOf(const Schedule& schedule, const TaskCosts& costs, int stage) {
    int layers = 0;
    for (int chunk = 0; chunk < schedule.chunks; ++chunk) layers += layersOf(schedule, costs, stage, chunk);
    return layers;
}
/// Share of a stage's parameters that a chunk holds, by layers.
double shareOf(const Schedule& schedule, const TaskCosts& costs, int stage, int chunk) {
    const int layers = layersOf(schedule, costs, stage);
    return layers == 0 ? 1.0 / schedule.chunks : static_cast<double>(layersOf(schedule, costs, stage, chunk)) / layers;
}

/// When each stage may start: its first chunk's weights have to be gathered as far as the first forward pass does not
/// hide it; other chunks' weights arrive while that chunk runs.
std::vector<double> releases(const ReplicaRun& run, const TaskCosts& costs, const Schedule& layout,
                             const std::vector<StageEndCosts>& ends, double slowdown) {
    std::vector<double> release;
    const std::uint32_t shape = run.times.shapeOf.front();
    for (int stage = 0; stage < layout.stages; ++stage) {
        const double gather = ends[static_cast<std::size_t>(stage)].gather * shareOf(layout, costs, stage, 0);
        const double forward = run.times.of(shape, layout.virtualStage(stage, 0), TaskKind::forward);
        const double shown = shownGather(gather, forward, layersOf(layout, costs, stage, 0));
        release.push_back(shown + slowdown * (gather - shown));
    }
    return release;
}

/// Ends of the stages by the closed form of 1F1B, when it holds for this replica.
std::optional<std::vector<double>> closedFormEnds(const ReplicaRun& run, const ParallelPlan& plan) {
    const auto& shapeOf = run.times.shapeOf;
    if (plan.schedule != ScheduleKind::oneFOneB || !run.times.blockingSends) return std::nullopt;
    if (std::any_of(shapeOf.begin(), shapeOf.end(), [&](auto shape) { return shape != shapeOf.front(); }))
        return std::nullopt;
    StageTimes stages;
    for (int v = 0; v < plan.pp; ++v) {
        const std::size_t row = run.times.row(shapeOf.front(), v);
        stages.forward.push_back(run.times.duration[row * 3] + run.times.transfer[row * 2]);
        stages.backward.push_back(run.times.duration[row * 3 + 1] + run.times.transfer[row * 2 + 1]);
    }
    double offset = 0.0;
    if (!run.times.release.empty()) {
        // A later stage's release must not be felt: it comes before the first micro-batch does.
        offset = run.times.release.front();
        double arrival = offset;
        for (std::size_t s = 0; s < run.times.release.size(); ++s) {
            if (run.times.release[s] > arrival) return std::nullopt;
            arrival += stages.forward[s];
        }
    }
    auto ends = oneFOneBStageEnds(stages, static_cast<int>(shapeOf.size()));
    if (ends) {
        for (double& end : *ends) end += offset;
    }
    return ends;
}

}  // namespace

int firstRank(const ParallelPlan& plan, int replica, int stage) {
    return (stage * plan.dp + replica) * plan.tp * plan.cp;
}

ReplicaRuns runReplicas(const IndexedWorkload& workload, const TaskCosts& costs, const ParallelPlan& plan,
                        const ClusterSpec& cluster, const std::vector<StageEndCosts>& ends, Schedule layout,
                        double slowdown, RunBy by, PredictMemo& memo) {
    ReplicaRuns runs;
    runs.layout = std::move(layout);
    for (std::size_t replica = 0; replica < workload.listOf.size(); ++replica) {
        const std::uint32_t list = workload.listOf[replica];
        std::vector<double> speed = stageSpeeds(plan, cluster, static_cast<int>(replica));
        auto known = std::find_if(runs.kinds.begin(), runs.kinds.end(),
                                  [&](const ReplicaRun& run) { return run.list == list && run.speed == speed; });
        runs.kindOf.push_back(static_cast<std::uint32_t>(known - runs.kinds.begin()));
        if (known != runs.kinds.end()) {
            ++known->count;
            continue;
        }
        ReplicaRun run;
        run.list = list;
        run.speed = std::move(speed);
        run.count = 1;
        run.times = costs.times(workload.shapeOf[list], run.speed);
        if (plan.overlapParamGather) run.times.release = releases(run, costs, runs.layout, ends, slowdown);
        auto closed = by == RunBy::simulation ? std::nullopt : closedFormEnds(run, plan);
        if (closed) {
            run.simulation.stageEnd = std::move(*closed);
        } else if (by == RunBy::closedFormOrBound) {
            run.bound = true;
            run.simulation.stageEnd = stageBounds(runs.layout, run.times, workload.counts[list]);
        } else {
            run.schedule = memo.schedule(plan, static_cast<int>(run.times.shapeOf.size()));
            run.simulation = simulate(*run.schedule, run.times);
        }
        runs.kinds.push_back(std::move(run));
    }
    return runs;
}

double reduceEnd(const ReplicaRun& run, const TaskCosts& costs, const Schedule& layout, int stage, double reduce,
                 bool overlap) {
    const auto at = static_cast<std::size_t>(stage);
    const double end = run.simulation.stageEnd[at];
    if (!overlap) return end + reduce;
    if (run.bound) return end;
    const auto chunkOf = [&](const Task& task, double backwardEnd) {
        const int v = layout.virtualStage(stage, task.chunk);
        const double duration =
            run.times.of(run.times.shapeOf[static_cast<std::size_t>(task.microBatch)], v, task.kind);
        return ChunkReduction{backwardEnd - duration, backwardEnd, reduce * shareOf(layout, costs, stage, task.chunk),
                              layersOf(layout, costs, stage, task.chunk)};
    };
    const auto lastMicroBatch = static_cast<std::int32_t>(run.times.shapeOf.size() - 1);
    if (run.schedule == nullptr) {  // 1F1B: the last task is the last backward pass, and its gradient's transfer
        const std::size_t row = run.times.row(run.times.shapeOf.back(), stage);
        const double backwardEnd = end - run.times.transfer[row * 2 + 1];
        return std::max(end, overlappedReduceEnd({chunkOf({lastMicroBatch, 0, TaskKind::backward}, backwardEnd)}));
    }
    const Schedule& schedule = *run.schedule;
    const TaskKind last = schedule.splitBackward ? TaskKind::backwardWeight : TaskKind::backward;
    const auto tasks = schedule.of(stage);
    std::vector<ChunkReduction> reductions;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(schedule.chunks), 0);
    for (std::size_t i = tasks.size(); i-- > 0 && reductions.size() < seen.size();) {
        const Task& task = tasks[i];
        if (task.kind != last || seen[static_cast<std::size_t>(task.chunk)]++ != 0) continue;
        const int v = schedule.virtualStage(stage, task.chunk);
        const double duration = run.times.of(run.times.shapeOf[static_cast<std::size_t>(task.microBatch)], v, last);
        reductions.push_back(chunkOf(task, run.simulation.start[schedule.begin[at] + i] + duration));
    }
    std::reverse(reductions.begin(), reductions.end());
    return std::max(end, overlappedReduceEnd(reductions));
}

}  // namespace orrery
