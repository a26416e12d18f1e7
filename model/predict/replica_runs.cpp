#include "model/predict/replica_runs.hpp"

#include <algorithm>

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
std::vector<double> releases(const ReplicaRun& run, const TaskCosts& costs, const std::vector<StageEndCosts>& ends) {
    std::vector<double> release;
    const std::uint32_t shape = run.times.shapeOf.front();
    for (int stage = 0; stage < run.schedule->stages; ++stage) {
        const double gather = ends[static_cast<std::size_t>(stage)].gather * shareOf(*run.schedule, costs, stage, 0);
        const double forward = run.times.of(shape, run.schedule->virtualStage(stage, 0), TaskKind::forward);
        release.push_back(shownGather(gather, forward, layersOf(*run.schedule, costs, stage, 0)));
    }
    return release;
}

std::uint32_t shapeIdOf(const MicroBatch& microBatch, std::vector<const MicroBatch*>& shapes) {
    // Newest first: equal micro-batches usually follow each other.
    for (std::size_t i = shapes.size(); i-- > 0;) {
        if (shapes[i]->documents == microBatch.documents) return static_cast<std::uint32_t>(i);
    }
    shapes.push_back(&microBatch);
    return static_cast<std::uint32_t>(shapes.size() - 1);
}

}  // namespace

int firstRank(const ParallelPlan& plan, int replica, int stage) {
    return (stage * plan.dp + replica) * plan.tp * plan.cp;
}

ShapeIndex indexShapes(const Workload& workload) {
    ShapeIndex index;
    for (const auto& replica : workload.replicas) {
        std::vector<std::uint32_t> list;
        list.reserve(replica.size());
        for (const MicroBatch& microBatch : replica) list.push_back(shapeIdOf(microBatch, index.shapes));
        const auto known = std::find(index.shapeOf.begin(), index.shapeOf.end(), list);
        index.listOf.push_back(static_cast<std::uint32_t>(known - index.shapeOf.begin()));
        if (known == index.shapeOf.end()) index.shapeOf.push_back(std::move(list));
    }
    return index;
}

ReplicaRuns runReplicas(const ShapeIndex& index, const TaskCosts& costs, const ParallelPlan& plan,
                        const ClusterSpec& cluster, const std::vector<StageEndCosts>& ends) {
    ReplicaRuns runs;
    runs.schedules.reserve(index.shapeOf.size());
    for (std::size_t replica = 0; replica < index.listOf.size(); ++replica) {
        const std::uint32_t list = index.listOf[replica];
        std::vector<double> speed = stageSpeeds(plan, cluster, static_cast<int>(replica));
        auto known = std::find_if(runs.kinds.begin(), runs.kinds.end(),
                                  [&](const ReplicaRun& run) { return run.list == list && run.speed == speed; });
        runs.kindOf.push_back(static_cast<std::uint32_t>(known - runs.kinds.begin()));
        if (known != runs.kinds.end()) {
            ++known->count;
            continue;
        }
        const auto microBatches = static_cast<int>(index.shapeOf[list].size());
        auto schedule = std::find_if(runs.schedules.begin(), runs.schedules.end(),
                                     [&](const Schedule& s) { return s.microBatches == microBatches; });
        if (schedule == runs.schedules.end()) {
            runs.schedules.push_back(makeSchedule(plan.schedule, plan.pp, plan.vpp, microBatches));
            schedule = runs.schedules.end() - 1;
        }
        ReplicaRun run;
        run.list = list;
        run.speed = std::move(speed);
        run.count = 1;
        run.schedule = &*schedule;
        run.times = costs.times(index.shapeOf[list], run.speed);
        if (plan.overlapParamGather) run.times.release = releases(run, costs, ends);
        run.simulation = simulate(*schedule, run.times);
        runs.kinds.push_back(std::move(run));
    }
    return runs;
}

double reduceEnd(const ReplicaRun& run, const TaskCosts& costs, int stage, double reduce, bool overlap) {
    const auto at = static_cast<std::size_t>(stage);
    if (!overlap) return run.simulation.stageEnd[at] + reduce;
    const Schedule& schedule = *run.schedule;
    const TaskKind last = schedule.splitBackward ? TaskKind::backwardWeight : TaskKind::backward;
    const auto tasks = schedule.of(stage);
    std::vector<ChunkReduction> reductions;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(schedule.chunks), 0);
    for (std::size_t i = tasks.size(); i-- > 0 && reductions.size() < seen.size();) {
        const Task& task = tasks[i];
        if (task.kind != last || seen[static_cast<std::size_t>(task.chunk)]++ != 0) continue;
        const int v = schedule.virtualStage(stage, task.chunk);
        const double begin = run.simulation.start[schedule.begin[at] + i];
        const double duration = run.times.of(run.times.shapeOf[static_cast<std::size_t>(task.microBatch)], v, last);
        reductions.push_back({begin, begin + duration, reduce * shareOf(schedule, costs, stage, task.chunk),
                              layersOf(schedule, costs, stage, task.chunk)});
    }
    std::reverse(reductions.begin(), reductions.end());
    return std::max(run.simulation.stageEnd[at], overlappedReduceEnd(reductions));
}

}  // namespace orrery
