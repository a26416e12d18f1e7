// From shares to a cause in words. Internal to model/replay.
#pragma once

#include "model/replay/straggler_analysis.hpp"

namespace orrery {

/// Fills cause and causeText from the metrics. A job is called uneven from a slowdown of 1.1 on, and a cause is named
/// when it explains at least half of the slowdown, slow workers and the last stage first (Lin et al. 2025, section 4
/// and 5); the other thresholds are ours.
void describeCause(const ReplayGraph& graph, StragglerAnalysis& analysis);

}  // namespace orrery
