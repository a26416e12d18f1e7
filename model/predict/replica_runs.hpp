// Data-parallel replicas of a step, each simulated once per distinct kind: same micro-batches, same device speeds.
#pragma once

#include <cstdint>
#include <vector>

#include "model/predict/indexed_workload.hpp"
#include "model/predict/step_end.hpp"
#include "model/predict/task_costs.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// One distinct replica with its run through the pipeline.
struct ReplicaRun {
    std::uint32_t list = 0;              ///< micro-batches, index into ShapeIndex::shapeOf
    std::vector<double> speed;           ///< per stage; empty: nominal
    int count = 0;                       ///< replicas of this kind
    const Schedule* schedule = nullptr;  ///< nullptr: the closed form answered, and there are no starts of tasks
    TaskTimes times;
    Simulation simulation;
};

struct ReplicaRuns {
    std::vector<Schedule> schedules;  ///< one per number of micro-batches; ReplicaRun::schedule points into it
    Schedule layout;                  ///< chunks on stages, without tasks
    std::vector<ReplicaRun> kinds;
    std::vector<std::uint32_t> kindOf;  ///< per replica
};
/// `ends` holds what each stage reduces and gathers, at nominal speed. Replicas of like micro-batches are answered by a
/// closed form where one holds, unless the starts of tasks are wanted. `slowdown` is RuntimeSpec::overlapSlowdown.
[[nodiscard]] ReplicaRuns runReplicas(const IndexedWorkload& workload, const TaskCosts& costs, const ParallelPlan& plan,
                                      const ClusterSpec& cluster, const std::vector<StageEndCosts>& ends,
                                      Schedule layout, double slowdown, bool wantStarts);

/// When a stage of a replica has reduced its gradients, as far as its own backward passes decide.
[[nodiscard]] double reduceEnd(const ReplicaRun& run, const TaskCosts& costs, const Schedule& layout, int stage,
                               double reduce, bool overlap);

/// Rank of a replica's stage: tp, cp, dp, pp from the inside out; its first tensor- and context-parallel member.
[[nodiscard]] int firstRank(const ParallelPlan& plan, int replica, int stage);

}  // namespace orrery
