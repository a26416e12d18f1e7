// Data sheets for calibration and validation: the catalog's GPUs by name.
#pragma once

#include "model/calibrate/calibrate.hpp"

namespace orrery::cli {

/// Finds GPUs in the catalog; nothing for a name that it does not hold.
[[nodiscard]] GpuLookup catalogGpus();

}  // namespace orrery::cli
