// Samples in, parameters out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/calibrate/calibration.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// Data sheet of a device by its catalog name; nothing when the catalog does not know it.
using GpuLookup = std::function<std::optional<GpuSpec>(std::string_view name)>;

/// Fits all kernel laws, collective laws and host gaps. Devices that `lookup` does not know are left out, and named in
/// `unknownDevices` when given.
[[nodiscard]] Calibration calibrate(const Samples& samples, const GpuLookup& lookup,
                                    std::vector<std::string>* unknownDevices = nullptr);

}  // namespace orrery
