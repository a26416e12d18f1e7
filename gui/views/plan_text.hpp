// A plan in one line, for tables and to be searched by words.
#pragma once

#include <QString>

#include "model/spec/parallel_plan.hpp"

namespace orrery::gui {

/// "tp4 pp2 dp8 sp · 1f1b · recompute selective · zero1 · bf16"; what a plan does not use is left out
[[nodiscard]] QString planText(const ParallelPlan& plan);

}  // namespace orrery::gui
