#include "model/calibrate/calibration.hpp"

namespace orrery {

const DeviceCalibration* Calibration::device(std::string_view wanted) const {
    for (const DeviceCalibration& candidate : devices) {
        if (candidate.device == wanted) return &candidate;
    }
    return nullptr;
}

}  // namespace orrery
