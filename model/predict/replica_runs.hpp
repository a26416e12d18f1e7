// Data-parallel replicas of a step, each simulated once per distinct kind: same micro-batches, same device speeds.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/predict/indexed_workload.hpp"
#include "model/predict/step_end.hpp"
#include "model/predict/task_costs.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// One distinct replica with its run through the pipeline.
struct ReplicaRun {
    std::uint32_t list = 0;                    ///< micro-batches, index into ShapeIndex::shapeOf
    std::vector<double> speed;                 ///< per stage; empty: nominal
    int count = 0;                             ///< replicas of this kind
    std::shared_ptr<const Schedule> schedule;  ///< nullptr: the closed form answered, or a bound; no starts of tasks
    bool bound = false;                        ///< the stages end no sooner than Simulation::stageEnd says
    TaskTimes times;
    Simulation simulation;
};

struct ReplicaRuns {
    Schedule layout;  ///< chunks on stages, without tasks
    std::vector<ReplicaRun> kinds;
    std::vector<std::uint32_t> kindOf;  ///< per replica

    [[nodiscard]] bool bound() const { return !kinds.empty() && kinds.front().bound; }
};

/// How replicas are run. Like micro-batches have a closed form for some schedules; where there is none, all tasks are
/// simulated, or a lower bound (stage_bounds.hpp) stands in.
enum class RunBy : std::uint8_t { simulation, closedFormOrSimulation, closedFormOrBound };

/// `ends` holds what each stage reduces and gathers, at nominal speed. `slowdown` is RuntimeSpec::overlapSlowdown.
[[nodiscard]] ReplicaRuns runReplicas(const IndexedWorkload& workload, const TaskCosts& costs, const ParallelPlan& plan,
                                      const ClusterSpec& cluster, const std::vector<StageEndCosts>& ends,
                                      Schedule layout, double slowdown, RunBy by, PredictMemo& memo);

/// When a stage of a replica has reduced its gradients, as far as its own backward passes decide. Of a bound: no
/// sooner.
[[nodiscard]] double reduceEnd(const ReplicaRun& run, const TaskCosts& costs, const Schedule& layout, int stage,
                               double reduce, bool overlap);

/// Rank of a replica's stage: tp, cp, dp, pp from the inside out; its first tensor- and context-parallel member.
[[nodiscard]] int firstRank(const ParallelPlan& plan, int replica, int stage);

}  // namespace orrery
