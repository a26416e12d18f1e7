#include "profiler/workload/adam.hpp"

#include <algorithm>
#include <cmath>

#include "profiler/workload/annotations.hpp"

namespace orrery::workload {
namespace {
constexpr float kBeta1 = 0.9F;
constexpr float kBeta2 = 0.95F;
constexpr float kEpsilon = 1e-8F;
constexpr double kBytesPerParameter = 32.0;  // float32: value, gradient and two moments, read and written
}  // namespace

void adamStep(Stage& stage, int step, float learningRate, float gradientScale) {
    double parameters = 0.0;
    stage.forEachParameter([&](Parameter& p) { parameters += static_cast<double>(p.value.size()); });
    const MemoryRange range(Annotations::instance().optimizer, OpClass::optimizer, Pass::optimizer,
                            kBytesPerParameter * parameters, 12.0 * parameters);
    const float correction1 = 1.0F / (1.0F - std::pow(kBeta1, static_cast<float>(step)));
    const float correction2 = 1.0F / (1.0F - std::pow(kBeta2, static_cast<float>(step)));
    stage.forEachParameter([&](Parameter& p) {
        const Eigen::Index size = p.value.size();
        Eigen::Map<Eigen::ArrayXf> gradient(p.gradient.data(), size);
        Eigen::Map<Eigen::ArrayXf> value(p.value.data(), size);
        Eigen::Map<Eigen::ArrayXf> first(p.firstMoment.data(), size);
        Eigen::Map<Eigen::ArrayXf> second(p.secondMoment.data(), size);
        // One pass in pieces that stay in cache: each array is read and written once.
        constexpr Eigen::Index kPiece = 4096;
        for (Eigen::Index at = 0; at < size; at += kPiece) {
            const Eigen::Index n = std::min(kPiece, size - at);
            const auto g = gradient.segment(at, n) * gradientScale;
            first.segment(at, n) = kBeta1 * first.segment(at, n) + (1.0F - kBeta1) * g;
            second.segment(at, n) = kBeta2 * second.segment(at, n) + (1.0F - kBeta2) * g.square();
            value.segment(at, n) -= learningRate * (first.segment(at, n) * correction1) /
                                    ((second.segment(at, n) * correction2).sqrt() + kEpsilon);
            gradient.segment(at, n).setZero();
        }
    });
}

double gradientSquares(Stage& stage) {
    double parameters = 0.0;
    stage.forEachParameter([&](Parameter& p) { parameters += static_cast<double>(p.value.size()); });
    const MemoryRange range(Annotations::instance().gradNorm, OpClass::optimizer, Pass::optimizer, 4.0 * parameters,
                            2.0 * parameters);
    double sum = 0.0;
    stage.forEachParameter([&](Parameter& p) { sum += static_cast<double>(p.gradient.squaredNorm()); });
    return sum;
}

}  // namespace orrery::workload
