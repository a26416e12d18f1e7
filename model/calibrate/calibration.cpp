#include "model/calibrate/calibration.hpp"

namespace orrery {

const DeviceCalibration* Calibration::device(std::string_view wanted) const {
    for (const DeviceCalibration& candidate : devices) {
        if (candidate.device == wanted) return &candidate;
    }
    return nullptr;
}

std::vector<const DeviceCalibration*> Calibration::sourcesFor(std::string_view wanted) const {
    std::vector<const DeviceCalibration*> found;
    if (const DeviceCalibration* own = device(wanted)) found.push_back(own);
    for (const StandIn& standIn : standIns) {
        if (standIn.device != wanted) continue;
        if (const DeviceCalibration* lent = device(standIn.like)) found.push_back(lent);
    }
    return found;
}

}  // namespace orrery
