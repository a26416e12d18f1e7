// The same job on hardware that is faster or slower in one respect.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/predict/prediction.hpp"

namespace orrery {

/// What can be scaled; 1.1 is ten per cent more of it.
enum class HardwareFactor : std::uint8_t {
    matrixPeak,        ///< rate of the matrix units: GEMM and attention
    memoryBandwidth,   ///< of the device
    linkBandwidth,     ///< of the innermost link level
    networkBandwidth,  ///< of the levels outside of it
    latency,           ///< of collectives and transfers, and gaps between kernels: less is faster
    hostSpeed,         ///< at which the host launches operators
    memory,            ///< capacity of a device
};
inline constexpr std::size_t kHardwareFactors = static_cast<std::size_t>(HardwareFactor::memory) + 1;

/// "matrix_peak", "memory_bandwidth", ...
[[nodiscard]] std::string_view name(HardwareFactor factor);
[[nodiscard]] std::optional<HardwareFactor> parseHardwareFactor(std::string_view text);

/// Calibrated laws stay what they are as fractions of the changed peaks; single measured times no longer apply, so that
/// factors near 1 may differ from the unchanged job by the laws' residual: compare with withHardware(…, 1).
void scaleHardware(Scenario& scenario, HardwareFactor factor, double by);

/// What the step would be with one factor lower or higher.
struct Sensitivity {
    HardwareFactor factor = HardwareFactor::matrixPeak;
    Seconds lower{}, higher{};  ///< step with the factor divided and multiplied by 1 + share
};

/// Every factor but the memory's size, largest effect first. `share`, 0.1: ten per cent. The step of the unchanged job
/// by the same laws is `unchanged`.
struct Sensitivities {
    Seconds unchanged{};
    std::vector<Sensitivity> factors;
};
[[nodiscard]] Sensitivities sensitivities(const Scenario& scenario, double share);

}  // namespace orrery
