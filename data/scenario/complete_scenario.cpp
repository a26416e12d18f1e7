#include "data/scenario/complete_scenario.hpp"

#include <utility>

#include "data/calibration/shipped_calibration.hpp"

namespace orrery {
namespace {
constexpr int kFewestOfGpu = 16;  // multiprocessors; a device with fewer is a CPU process
}  // namespace

std::string completeScenario(Scenario& scenario, const Catalog& catalog) {
    if (!scenario.calibration.devices.empty() || !scenario.calibration.collectives.empty())
        return scenario.calibration.name.empty() ? "of the scenario" : scenario.calibration.name;
    const GpuSpec& gpu = scenario.cluster.gpu;
    if (scenario.runtime.name.empty() && gpu.multiprocessors >= kFewestOfGpu) {
        const bool sharded = scenario.plan.sharding == Sharding::zero3;
        scenario.runtime = catalog.framework(sharded ? "pytorch-fsdp" : "megatron-core", gpu.name);
    }
    Calibration shipped = shippedCalibration();
    if (shipped.sourcesFor(gpu.name).empty()) return "none (data sheets)";
    scenario.calibration = std::move(shipped);
    return "shipped (published kernel tables)";
}

}  // namespace orrery
