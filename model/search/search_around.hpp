// The search that a scenario with one plan suggests: all plans of the same job, and where its own stands among them.
#pragma once

#include "model/search/search.hpp"

namespace orrery {

/// Everything of the plan is opened but number formats, fused attention, overlap and the like; ZeRO-3 is looked at
/// where the plan itself has it. Sequences of equal length are batched anew for each plan; other documents keep their
/// micro-batches, which are dealt out to the replicas in turn. The plan is the reference.
[[nodiscard]] SearchProblem searchAround(const Scenario& scenario);

/// Sets what only fits one division into stages and ranks to its default: layer maps, given orders, group sizes.
void forgetLayout(ParallelPlan& plan);

}  // namespace orrery
