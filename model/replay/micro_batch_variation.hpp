// How the passes of one worker differ from each other: what documents of different lengths do. Internal to
// model/replay.
#pragma once

#include <vector>

#include "model/replay/replay_graph.hpp"

namespace orrery {

/// Durations (ns, one per op) where each pass takes the mean of its worker, type and chunk; other ops as recorded.
[[nodiscard]] std::vector<double> evenWithinWorkers(const ReplayGraph& graph);

/// Durations where each pass is scaled so that the mean of its stage, type and chunk is that of all stages and chunks.
[[nodiscard]] std::vector<double> evenBetweenStages(const ReplayGraph& graph);

/// StragglerAnalysis::forwardBackwardCorrelation.
[[nodiscard]] double forwardBackwardCorrelation(const ReplayGraph& graph);

}  // namespace orrery
