// Adam (Kingma and Ba 2014, arXiv 1412.6980) over all parameters of a stage, as one memory-bound operator.
#pragma once

#include "profiler/workload/stage.hpp"

namespace orrery::workload {

/// One update; `step` counts from 1. Gradients are scaled by `gradientScale` first (clipping) and 0 afterwards.
void adamStep(Stage& stage, int step, float learningRate, float gradientScale);

/// Sum of squares of all gradients of the stage.
[[nodiscard]] double gradientSquares(Stage& stage);

}  // namespace orrery::workload
