#include <array>
#include <utility>

#include "data/published/kernels_csv.hpp"

namespace orrery {

// A compute capability does not name a board: sm_90 is taken for H100-SXM, sm_100 for B200, sm_103 for the GB300 board,
// gfx942 for MI300X and gfx950 for MI355X, because those are the boards of the machines that such tables come from.
std::string catalogDeviceName(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kAliases{{
        {"H100-class (sm_90, device not named)", "H100-SXM"},
        {"GB300-class (sm_103)", "GB300"},
        {"MI300-class (gfx942, device not named)", "MI300X"},
        {"MI350-class (gfx950, device not named)", "MI355X"},
        {"A100 PCIe", "A100-PCIe-80"},
        {"A100-SXM", "A100-80"},
        {"AMD MI300X", "MI300X"},
        {"AMD MI325X", "MI325X"},
        {"AMD MI355X", "MI355X"},
        {"B200 SXM", "B200"},
        {"B300 SXM", "B300"},
        {"GB200 SXM", "GB200"},
        {"GH200 SXM", "GH200"},
        {"H200 SXM", "H200"},
        {"Intel Gaudi 2", "Gaudi2"},
        {"Intel Gaudi 3", "Gaudi3"},
        {"V100", "V100-16"},
        {"see notes", ""},
    }};
    for (const auto& [alias, name] : kAliases) {
        if (alias == text) return std::string(name);
    }
    return std::string(text);
}

void assumeTrainingClocks(Calibration& calibration) {
    constexpr double kSustainedOverBurst = 0.76;
    for (DeviceCalibration& device : calibration.devices) {
        for (KernelLaw& law : device.laws) {
            if (law.opName == "xla_gemm") law.trainingClock = kSustainedOverBurst;
        }
    }
}

// Same architecture, other memory, clocks or links. A100-80 has attention figures of its own but no GEMM table; its
// PCIe sister lends that, at the lower power limit of 300 W.
std::vector<StandIn> standInsFor(const Calibration& calibration) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kLike{{
        {"A100-80", "A100-PCIe-80"},
        {"A100-40", "A100-PCIe-80"},
        {"A800", "A100-PCIe-80"},
        {"H800", "H100-SXM"},
        {"H200", "H100-SXM"},
        {"GH200", "H100-SXM"},
        {"GB200", "B200"},
        {"GB300", "B200"},
        {"B300", "B200"},
        {"MI325X", "MI300X"},
        {"MI350X", "MI355X"},
    }};
    const auto measured = [&](std::string_view name) {
        for (const DeviceCalibration& device : calibration.devices) {
            if (device.device == name) return true;
        }
        return false;
    };
    std::vector<StandIn> result;
    for (const auto& [device, like] : kLike) {
        if (measured(like)) result.push_back({std::string(device), std::string(like)});
    }
    return result;
}

}  // namespace orrery
