// From shares to a cause in words. Internal to model/replay.
#pragma once

#include "model/replay/straggler_analysis.hpp"

namespace orrery {

/// Fills cause and causeText from the metrics: from a slowdown of 1.1 on, the slowest workers when they explain half of
/// it or more, else what explains most, if that is half or more (docs/model.md; the thresholds are ours).
void describeCause(const ReplayGraph& graph, StragglerAnalysis& analysis);

}  // namespace orrery
