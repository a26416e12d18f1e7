// The calibration that is used when the user gives none.
#pragma once

#include "model/calibrate/calibration.hpp"

namespace orrery {

/// data/catalog/calibrations/published.json: fitted by `orrery calibrate` to published kernel tables.
[[nodiscard]] Calibration shippedCalibration();

}  // namespace orrery
