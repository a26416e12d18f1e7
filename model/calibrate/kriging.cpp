#include "model/calibrate/kriging.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

namespace orrery {
namespace {

constexpr std::size_t kFewest = 4;

struct Trial {
    Eigen::VectorXd weights;
    double leaveOneOut = 0.0;
};

Trial solve(const Eigen::MatrixXd& distances, const Eigen::VectorXd& residuals, double reach, double noise) {
    Eigen::MatrixXd covariance = distances.unaryExpr([&](double d) { return neighbourWeight(d / reach); });
    covariance.diagonal().array() += noise;
    const Eigen::MatrixXd inverse =
        covariance.ldlt().solve(Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols()));
    Trial trial;
    trial.weights = inverse * residuals;
    double sum = 0.0;
    for (Eigen::Index i = 0; i < residuals.size(); ++i) {
        const double leftOut = trial.weights[i] / inverse(i, i);
        sum += leftOut * leftOut;
    }
    trial.leaveOneOut = std::sqrt(sum / static_cast<double>(residuals.size()));
    return trial;
}

Eigen::MatrixXd pairwiseDistances(std::span<const ShapePoint> points) {
    const auto count = static_cast<Eigen::Index>(points.size());
    Eigen::MatrixXd distances(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        for (Eigen::Index j = 0; j < count; ++j) {
            distances(i, j) = distance(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
        }
    }
    return distances;
}

}  // namespace

Kriging fitKriging(std::span<const ShapePoint> points, std::span<const double> residuals, double baseline) {
    Kriging best;
    best.leaveOneOut = baseline;
    best.weights.assign(points.size(), 0.0);
    if (points.size() < kFewest) return best;
    const Eigen::MatrixXd distances = pairwiseDistances(points);
    const Eigen::VectorXd values =
        Eigen::Map<const Eigen::VectorXd>(residuals.data(), static_cast<Eigen::Index>(residuals.size()));
    for (const double reach : {1.5, 3.0, 6.0, 10.0}) {
        for (const double noise : {0.005, 0.02, 0.1, 0.4, 1.5}) {
            const Trial trial = solve(distances, values, reach, noise);
            if (trial.leaveOneOut >= best.leaveOneOut) continue;
            best.reach = reach;
            best.leaveOneOut = trial.leaveOneOut;
            best.weights.assign(trial.weights.data(), trial.weights.data() + trial.weights.size());
        }
    }
    return best;
}

}  // namespace orrery
