// A lower bound on the end of each stage of a schedule, without running it.
#pragma once

#include <vector>

#include "model/schedule/schedule.hpp"
#include "model/schedule/simulate.hpp"

namespace orrery {

/// No order of the tasks ends a stage sooner. A stage cannot begin before some micro-batch has passed the positions of
/// the model in front of it, has to do all of its tasks, and the first stages end no sooner than the last gradient has
/// come back to them. For 1F1B and interleaved schedules of equal stages that is the step itself (Narayanan et al.
/// 2021, arXiv 2104.04473, section 2.2). `counts`: micro-batches of each shape. Linear in positions and shapes.
[[nodiscard]] std::vector<double> stageBounds(const Schedule& layout, const TaskTimes& times,
                                              const std::vector<int>& counts);

}  // namespace orrery
