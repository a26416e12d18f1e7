// Interpolation of residuals between scattered points (kriging, Gaussian-process regression) with a compact kernel.
#pragma once

#include <span>
#include <vector>

#include "model/cost/kernel_neighbours.hpp"

namespace orrery {

struct Kriging {
    double reach = 0.0;           ///< radius of a point's influence; 0: no correction beats none
    double leaveOneOut = 0.0;     ///< rms error of left-out points
    std::vector<double> weights;  ///< value at x = sum of weights[i] * neighbourWeight(distance(x, i) / reach)
};

/// Chooses reach and noise that predict left-out residuals best, in closed form (Rasmussen & Williams 2006, section
/// 5.4.2). `baseline` is the error without correction.
[[nodiscard]] Kriging fitKriging(std::span<const ShapePoint> points, std::span<const double> residuals,
                                 double baseline);

}  // namespace orrery
