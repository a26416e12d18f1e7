// Why one plan is faster than another.
#pragma once

#include <string>
#include <vector>

#include "model/predict/prediction.hpp"

namespace orrery {

/// What one plan spends more (positive) or less of than another on a part of the step.
struct Difference {
    std::string part;    ///< key of Breakdown
    double share = 0.0;  ///< of the other plan's step time
};

/// Parts whose time differs by at least `least` of the other plan's step, largest first. Together, with those left out,
/// they are the difference of the step times.
[[nodiscard]] std::vector<Difference> differences(const Prediction& plan, const Prediction& other,
                                                  double least = 0.0005);

}  // namespace orrery
