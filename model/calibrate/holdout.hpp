// How well calibration interpolates: fit on a random half of the samples, predict the other half.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/calibrate/calibrate.hpp"

namespace orrery {

/// Errors of one device, class, implementation and size class; |predicted / measured - 1|.
struct HoldoutGroup {
    std::string device;
    std::string family;     ///< "gemm xla_gemm", "attention", "all_reduce 8 ranks" ...
    std::string sizeClass;  ///< "m,n,k > 256", "over 64 KiB", "small" ...
    int samples = 0;
    double mean = 0.0, median = 0.0, p95 = 0.0, max = 0.0;
    double bias = 0.0;            ///< mean of predicted / measured - 1
    double meanDistance = 0.0;    ///< to the nearest sample of the fitted half, in log2(size)
    double withinOneSigma = 0.0;  ///< share whose |ln error| is within the predicted sigma (0.68 if sigma is honest)
};

/// Splits with `seed`. Repeats of one shape go to the same half, so that nothing is predicted from itself.
[[nodiscard]] std::vector<HoldoutGroup> holdout(const Samples& samples, const GpuLookup& lookup, std::uint64_t seed);

}  // namespace orrery
