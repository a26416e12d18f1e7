// Kernel times of one device: measured shape, fitted law with its neighbours' correction, or data sheet, in that order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/calibrate/calibration.hpp"
#include "model/cost/estimate.hpp"
#include "model/cost/kernel_law.hpp"
#include "model/cost/kernel_neighbours.hpp"
#include "model/cost/neighbour_cloud.hpp"

namespace orrery {

/// Immutable; built once per device from its calibrations, the first that has a law for a class gives it (see
/// Calibration::sourcesFor); without any, data sheets answer.
class KernelCosts {
  public:
    KernelCosts(const GpuSpec& gpu, const std::vector<const DeviceCalibration*>& calibrations);

    [[nodiscard]] Estimate estimate(const Op& op) const;

  private:
    void add(const DeviceCalibration& calibration);

    struct FittedLaw {
        KernelLaw law;
        DevicePeaks peaks;
        NeighbourCloud cloud;  ///< the table entries of this law
    };

    /// Index of the law for `op` in laws_; -1 when none fits.
    [[nodiscard]] int find(const Op& op) const;
    [[nodiscard]] static Estimate fitted(const FittedLaw& law, const Op& op);

    GpuSpec gpu_;
    std::vector<FittedLaw> laws_;
    std::unordered_map<std::uint64_t, std::size_t> lawOf_;  ///< (class, pass, dtype, name) -> laws_
    std::unordered_map<std::uint64_t, Seconds> measured_;   ///< (shape, law) -> median
};

/// Key of a law; a name of "" stands for all operators of the class.
[[nodiscard]] std::uint64_t lawKey(OpClass cls, Pass pass, DType dtype, std::string_view opName);

}  // namespace orrery
