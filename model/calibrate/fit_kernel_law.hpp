// Fits the law of one kernel family to its samples, in ln(time).
#pragma once

#include <span>

#include "model/calibrate/calibration.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// Fits the parameters that the family uses; the others stay at the default law's values, which are also the priors.
/// \pre all samples share class, pass, dtype and name, and there is at least one.
[[nodiscard]] KernelLaw fitKernelLaw(std::span<const KernelTableEntry> samples, const GpuSpec& gpu);

/// ln(measured / law) of each sample.
[[nodiscard]] std::vector<double> logResiduals(const KernelLaw& law, std::span<const KernelTableEntry> samples,
                                               const GpuSpec& gpu);

}  // namespace orrery
