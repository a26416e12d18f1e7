#include "model/calibrate/calibrate.hpp"

#include <algorithm>
#include <set>

#include "model/calibrate/fit_collectives.hpp"
#include "model/calibrate/fit_device.hpp"

namespace orrery {

Calibration calibrate(const Samples& samples, const GpuLookup& lookup, std::vector<std::string>* unknownDevices) {
    std::set<std::string> devices, sources;
    for (const KernelSample& sample : samples.kernels) {
        devices.insert(sample.device);
        sources.insert(sample.source);
    }
    for (const CollectiveSample& sample : samples.collectives) sources.insert(sample.source);
    for (const HostGapSample& sample : samples.hostGaps) devices.insert(sample.device);

    Calibration calibration;
    sources.erase("");
    calibration.sources.assign(sources.begin(), sources.end());
    for (const std::string& name : devices) {
        const std::optional<GpuSpec> gpu = lookup(name);
        if (gpu) {
            calibration.devices.push_back(fitDevice(samples.kernels, samples.hostGaps, *gpu));
        } else if (unknownDevices != nullptr) {
            unknownDevices->push_back(name);
        }
    }
    calibration.collectives = fitCollectives(samples.collectives);
    return calibration;
}

}  // namespace orrery
