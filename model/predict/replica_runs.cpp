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
                        const ClusterSpec& cluster) {
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
        run.simulation = simulate(*schedule, run.times);
        runs.kinds.push_back(std::move(run));
    }
    return runs;
}

}  // namespace orrery
