// A trained tensor with its gradient and Adam's moments.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "profiler/workload/matrix.hpp"

namespace orrery::workload {

struct Parameter {
    Matrix value, gradient, firstMoment, secondMoment;

    /// Normal initialisation from a seed of its own, so that a layer starts equal on whichever process it lives.
    static Parameter normal(Eigen::Index rows, Eigen::Index columns, float deviation, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        std::normal_distribution<float> draw(0.0F, deviation);
        Parameter parameter = constant(rows, columns, 0.0F);
        for (Eigen::Index i = 0; i < parameter.value.size(); ++i) parameter.value.data()[i] = draw(random);
        return parameter;
    }
    static Parameter constant(Eigen::Index rows, Eigen::Index columns, float value) {
        return {Matrix::Constant(rows, columns, value), Matrix::Zero(rows, columns), Matrix::Zero(rows, columns),
                Matrix::Zero(rows, columns)};
    }
};

}  // namespace orrery::workload
