// All kernel laws of one device, from all its samples.
#pragma once

#include <span>

#include "model/calibrate/calibration.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// Groups the samples by (class, pass, dtype, name), takes the median of repeats of a shape, and fits law and
/// neighbours' correction of each group. Samples of other devices are ignored.
[[nodiscard]] DeviceCalibration fitDevice(std::span<const KernelSample> kernels,
                                          std::span<const HostGapSample> hostGaps, const GpuSpec& gpu);

}  // namespace orrery
