// Days against GPUs as a picture. Internal to report/capacity.
#pragma once

#include "report/capacity/capacity_report.hpp"

namespace orrery {

/// An <svg>: both axes logarithmic, a line and a band of uncertainty for each kind of GPU, and the wanted days.
[[nodiscard]] std::string daysChart(const CapacityPlan& plan);

}  // namespace orrery
