// Data sheets and runtimes for calibration and validation: the catalog's GPUs and frameworks by name.
#pragma once

#include "data/published/validation.hpp"
#include "model/calibrate/calibrate.hpp"

namespace orrery::cli {

/// Finds GPUs in the catalog; nothing for a name that it does not hold.
[[nodiscard]] GpuLookup catalogGpus();

/// Figures of the catalog's frameworks, each read once. The lookup throws InputError for a framework it does not hold.
[[nodiscard]] RuntimeLookup catalogRuntimes();

}  // namespace orrery::cli
