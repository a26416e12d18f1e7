#include "data/calibration/shipped_calibration.hpp"

#include "data/calibration/calibration_file.hpp"
#include "data/catalog/catalog_files.hpp"

namespace orrery {

Calibration shippedCalibration() {
    return calibrationFromJson(builtInCatalogText("calibrations/published.json"), "the built-in calibration");
}

}  // namespace orrery
