#include "cli/shipped_calibration.hpp"

#include "data/calibration/calibration_file.hpp"
#include "data/catalog/gpu_catalog.hpp"

namespace orrery::cli {

Calibration shippedCalibration() {
    return readCalibration(catalogDirectory() / "calibrations" / "published.json");
}

}  // namespace orrery::cli
