#include "model/capacity/hardware.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace orrery {
namespace {

constexpr std::array<std::pair<HardwareFactor, std::string_view>, kHardwareFactors> kNames{{
    {HardwareFactor::matrixPeak, "matrix_peak"},
    {HardwareFactor::memoryBandwidth, "memory_bandwidth"},
    {HardwareFactor::linkBandwidth, "link_bandwidth"},
    {HardwareFactor::networkBandwidth, "network_bandwidth"},
    {HardwareFactor::latency, "latency"},
    {HardwareFactor::hostSpeed, "host_speed"},
    {HardwareFactor::memory, "memory"},
}};

/// Gives the device a name of its own that takes the old one's laws, but not its measured times.
void becomeAnother(Scenario& scenario) {
    const std::string old = scenario.cluster.gpu.name;
    if (old.ends_with(" changed")) return;
    const std::string changed = old + " changed";
    scenario.cluster.gpu.name = changed;
    Calibration& calibration = scenario.calibration;
    std::vector<StandIn> standIns{{changed, old}};
    for (const StandIn& standIn : calibration.standIns) {
        if (standIn.device == old) standIns.push_back({changed, standIn.like});
    }
    calibration.standIns.insert(calibration.standIns.end(), standIns.begin(), standIns.end());
    for (CollectiveLaw& law : calibration.collectives) {
        if (law.device == old) law.device = changed;
    }
}

}  // namespace

std::string_view name(HardwareFactor factor) {
    return kNames[static_cast<std::size_t>(factor)].second;
}

std::optional<HardwareFactor> parseHardwareFactor(std::string_view text) {
    for (const auto& [factor, known] : kNames) {
        if (known == text) return factor;
    }
    return std::nullopt;
}

void scaleHardware(Scenario& scenario, HardwareFactor factor, double by) {
    becomeAnother(scenario);
    GpuSpec& gpu = scenario.cluster.gpu;
    RuntimeSpec& runtime = scenario.runtime;
    switch (factor) {
        case HardwareFactor::matrixPeak:
            for (auto& [dtype, peak] : gpu.peaks) peak = peak * by;
            break;
        case HardwareFactor::memoryBandwidth:
            gpu.memoryBandwidth = gpu.memoryBandwidth * by;
            break;
        case HardwareFactor::linkBandwidth:
            runtime.linkShare *= by;
            break;
        case HardwareFactor::networkBandwidth:
            runtime.networkShare *= by;
            break;
        case HardwareFactor::latency:
            runtime.collectiveLatency = runtime.collectiveLatency * by;
            runtime.kernelGap = runtime.kernelGap * by;
            break;
        case HardwareFactor::hostSpeed:
            runtime.hostPerOperator = runtime.hostPerOperator / by;
            runtime.expertSync = runtime.expertSync / by;
            break;
        case HardwareFactor::memory:
            gpu.memory = gpu.memory * by;
            break;
    }
}

Sensitivities sensitivities(const Scenario& scenario, double share) {
    const auto stepWith = [&](HardwareFactor factor, double by) {
        Scenario changed = scenario;
        scaleHardware(changed, factor, by);
        return predict(changed).metrics.step;
    };
    Sensitivities out;
    out.unchanged = stepWith(HardwareFactor::matrixPeak, 1.0);
    for (const auto& [factor, unused] : kNames) {
        if (factor == HardwareFactor::memory) continue;
        out.factors.push_back({factor, stepWith(factor, 1.0 / (1.0 + share)), stepWith(factor, 1.0 + share)});
    }
    std::stable_sort(out.factors.begin(), out.factors.end(), [](const Sensitivity& a, const Sensitivity& b) {
        return std::abs((a.lower - a.higher).value()) > std::abs((b.lower - b.higher).value());
    });
    return out;
}

}  // namespace orrery
