// A simulated step as a timeline: one representative rank per (replica, stage).
#pragma once

#include "model/predict/prediction.hpp"
#include "model/predict/replica_runs.hpp"
#include "model/predict/step_end.hpp"

namespace orrery {

/// Everything that the timeline is drawn from.
struct SimulatedStep {
    const ModelSpec& model;
    const ParallelPlan& plan;
    const CostModel& cost;
    const PlanGroups& groups;
    const IndexedWorkload& index;
    const TaskCosts& costs;
    const ReplicaRuns& runs;
    const std::vector<StageEndCosts>& ends;
    const StepEndTimes& endTimes;
};

/// Tracks of Lane::step, task, comm and, when asked for, op of each (replica, stage); gaps become waits.
[[nodiscard]] Timeline drawStep(const SimulatedStep& step, bool operatorSpans);

}  // namespace orrery
