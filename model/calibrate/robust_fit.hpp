// Bounded, regularised, robust least squares for laws of a few parameters (Levenberg-Marquardt, numeric Jacobian).
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace orrery {

/// One parameter of a fit. The prior keeps few samples from running away: it counts as one more sample whose residual
/// is (value - prior) / priorSigma in units of the residuals' noise.
struct FitParameter {
    double prior = 0.0;
    double priorSigma = 1.0;
    double lower = 0.0, upper = 0.0;
};

struct FitResult {
    Eigen::VectorXd values;
    double residual = 0.0;  ///< robust rms of the residuals at the optimum
};

/// Fills `residuals` (already sized) for the parameters `values`.
using Residuals = std::function<void(const Eigen::VectorXd& values, Eigen::VectorXd& residuals)>;

/// Minimises sum of Cauchy losses of the residuals plus the priors, from the priors' values. Cauchy's loss with a scale
/// re-estimated by the median absolute residual (Huber 1981; Triggs et al. 2000, section 3) makes outliers harmless.
[[nodiscard]] FitResult robustFit(const std::vector<FitParameter>& parameters, Eigen::Index samples,
                                  const Residuals& evaluate);

}  // namespace orrery
