// One sample per operator shape and step: the mean of its repeats in that step. Internal to data/samples.
#pragma once

#include <cstdint>
#include <vector>

#include "model/calibrate/samples.hpp"

namespace orrery::profile_samples {

/// A step lasts the sum of its operators, so what a prediction adds up must be means: the slow repeats that preemption
/// or a cold cache make are part of every step, and a median over all repeats leaves them out. Calibration takes the
/// median over the steps afterwards, so that one disturbed step does not count. `steps[i]` is the step of `samples[i]`.
[[nodiscard]] std::vector<KernelSample> meansWithinSteps(std::vector<KernelSample> samples,
                                                         const std::vector<std::int64_t>& steps);

}  // namespace orrery::profile_samples
