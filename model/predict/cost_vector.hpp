// Seconds by what they were spent on: the rows of a breakdown.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/ops/placed_op.hpp"
#include "model/units/quantity.hpp"

namespace orrery {

enum class CostClass : std::uint8_t {
    gemm,
    attention,
    norm,
    elementwise,
    embedding,
    crossEntropy,
    optimizer,
    tensorComm,
    dataComm,
    pipelineComm,
    contextComm,
    expertComm,
    recompute,
    host,
    bubble,
};
inline constexpr std::size_t kCostClasses = static_cast<std::size_t>(CostClass::bubble) + 1;

/// "gemm", ..., "tp_comm", "dp_comm", "pp_comm", "cp_comm", "ep_comm", "recompute", "host", "bubble": keys of
/// Breakdown.
[[nodiscard]] std::string_view name(CostClass cls);
[[nodiscard]] CostClass costClassOf(const PlacedOp& op);
[[nodiscard]] bool isCommunication(CostClass cls);

/// Time of a task by class, and the sum of (time x relative standard error) of its estimates.
struct CostVector {
    std::array<double, kCostClasses> seconds{};
    double sigmaSeconds = 0.0;
    int operators = 0;

    [[nodiscard]] double& operator[](CostClass cls) { return seconds[static_cast<std::size_t>(cls)]; }
    [[nodiscard]] double operator[](CostClass cls) const { return seconds[static_cast<std::size_t>(cls)]; }

    /// Adds `factor` times another vector.
    void add(const CostVector& other, double factor = 1.0) {
        for (std::size_t i = 0; i < kCostClasses; ++i) seconds[i] += factor * other.seconds[i];
        sigmaSeconds += factor * other.sigmaSeconds;
        operators += static_cast<int>(factor * other.operators);
    }
    [[nodiscard]] double total() const;
    [[nodiscard]] double communication() const;
    /// Everything that the device itself works on: kernels and host time. What a slow device stretches.
    [[nodiscard]] double work() const { return total() - communication() - (*this)[CostClass::bubble]; }
    /// Work stretched by 1/speed.
    void stretch(double speed);
};

}  // namespace orrery
