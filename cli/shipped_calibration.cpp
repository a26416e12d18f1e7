#include "cli/shipped_calibration.hpp"

#include "data/calibration/calibration_file.hpp"
#include "data/catalog/catalog_files.hpp"

namespace orrery::cli {

Calibration shippedCalibration() {
    return calibrationFromJson(builtInCatalogText("calibrations/published.json"), "the built-in calibration");
}

}  // namespace orrery::cli
