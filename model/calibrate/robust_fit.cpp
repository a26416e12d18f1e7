#include "model/calibrate/robust_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr int kIterations = 60;
constexpr double kStep = 1e-4;        // of the numeric derivative; parameters are logarithms or shares
constexpr double kNoiseFloor = 0.01;  // repeat-to-repeat noise of any timing, in ln(time)

double medianAbsolute(const Eigen::VectorXd& residuals) {
    std::vector<double> magnitudes(static_cast<std::size_t>(residuals.size()));
    for (Eigen::Index i = 0; i < residuals.size(); ++i)
        magnitudes[static_cast<std::size_t>(i)] = std::abs(residuals[i]);
    const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
    std::nth_element(magnitudes.begin(), middle, magnitudes.end());
    return *middle;
}

class Problem {
  public:
    Problem(const std::vector<FitParameter>& parameters, Eigen::Index samples, const Residuals& evaluate)
        : parameters_(parameters), samples_(samples), evaluate_(evaluate) {}

    Eigen::VectorXd residuals(const Eigen::VectorXd& values) const {
        Eigen::VectorXd result(samples_);
        evaluate_(values, result);
        return result;
    }
    double scaleOf(const Eigen::VectorXd& r) const { return std::max(kNoiseFloor, 1.4826 * medianAbsolute(r) * 2.0); }

    double cost(const Eigen::VectorXd& values, const Eigen::VectorXd& r, double scale) const {
        double sum = 0.0;
        for (const double x : r) sum += std::log1p(x * x / (scale * scale));
        for (std::size_t j = 0; j < parameters_.size(); ++j) sum += square(priorResidual(values, j));
        return sum;
    }
    double priorResidual(const Eigen::VectorXd& values, std::size_t j) const {
        return (values[static_cast<Eigen::Index>(j)] - parameters_[j].prior) / parameters_[j].priorSigma;
    }
    Eigen::VectorXd clamped(Eigen::VectorXd values) const {
        for (std::size_t j = 0; j < parameters_.size(); ++j) {
            double& v = values[static_cast<Eigen::Index>(j)];
            v = std::clamp(v, parameters_[j].lower, parameters_[j].upper);
        }
        return values;
    }
    Eigen::MatrixXd jacobian(const Eigen::VectorXd& values) const {
        Eigen::MatrixXd result(samples_, values.size());
        for (Eigen::Index j = 0; j < values.size(); ++j) {
            Eigen::VectorXd up = values, down = values;
            up[j] += kStep;
            down[j] -= kStep;
            result.col(j) = (residuals(up) - residuals(down)) / (2.0 * kStep);
        }
        return result;
    }
    const std::vector<FitParameter>& parameters() const { return parameters_; }
    static double square(double x) { return x * x; }

  private:
    const std::vector<FitParameter>& parameters_;
    Eigen::Index samples_;
    const Residuals& evaluate_;
};

/// Normal equations of one step: J'WJ + priors, and the gradient.
void assemble(const Problem& problem, const Eigen::VectorXd& values, const Eigen::VectorXd& r, double scale,
              Eigen::MatrixXd& hessian, Eigen::VectorXd& gradient) {
    const Eigen::MatrixXd jacobian = problem.jacobian(values);
    const Eigen::VectorXd weights = (scale * scale + r.array().square()).inverse().matrix();
    hessian = jacobian.transpose() * weights.asDiagonal() * jacobian;
    gradient = jacobian.transpose() * weights.asDiagonal() * r;
    for (std::size_t j = 0; j < problem.parameters().size(); ++j) {
        const auto index = static_cast<Eigen::Index>(j);
        const double sigma = problem.parameters()[j].priorSigma;
        hessian(index, index) += 1.0 / (sigma * sigma);
        gradient[index] += problem.priorResidual(values, j) / sigma;
    }
}

}  // namespace

FitResult robustFit(const std::vector<FitParameter>& parameters, Eigen::Index samples, const Residuals& evaluate) {
    const Problem problem(parameters, samples, evaluate);
    Eigen::VectorXd values(static_cast<Eigen::Index>(parameters.size()));
    for (std::size_t j = 0; j < parameters.size(); ++j) values[static_cast<Eigen::Index>(j)] = parameters[j].prior;
    if (samples == 0) return {values, 0.0};

    Eigen::VectorXd r = problem.residuals(values);
    double damping = 1e-2;
    Eigen::MatrixXd hessian;
    Eigen::VectorXd gradient;
    for (int iteration = 0; iteration < kIterations && damping < 1e8; ++iteration) {
        const double scale = problem.scaleOf(r);
        const double before = problem.cost(values, r, scale);
        assemble(problem, values, r, scale, hessian, gradient);
        bool improved = false;
        while (!improved && damping < 1e8) {
            Eigen::MatrixXd damped = hessian;
            damped.diagonal() *= 1.0 + damping;
            const Eigen::VectorXd next = problem.clamped(values - damped.ldlt().solve(gradient));
            const Eigen::VectorXd nextResiduals = problem.residuals(next);
            const double after = problem.cost(next, nextResiduals, scale);
            improved = std::isfinite(after) && after < before;
            damping = improved ? std::max(1e-9, damping / 4.0) : damping * 4.0;
            if (!improved) continue;
            values = next;
            r = nextResiduals;
            if (before - after < 1e-9 * before) return {values, problem.scaleOf(r) / 2.0};
        }
    }
    return {values, problem.scaleOf(r) / 2.0};
}

}  // namespace orrery
