// One scenario with some fields set otherwise, answered: its own plan, or the best one. For sweeps and capacity plans.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/scenario/overrides.hpp"
#include "model/capacity/hardware.hpp"
#include "model/search/search.hpp"

namespace orrery::cli {

struct HardwareChange {
    HardwareFactor factor = HardwareFactor::matrixPeak;
    double by = 1.0;
};

struct ScenarioVariant {
    std::filesystem::path file, calibration;
    std::vector<Override> overrides;
    std::vector<HardwareChange> hardware;
    bool bestPlan = false;  ///< of all plans; else the scenario's own
};

struct ScenarioAnswer {
    std::string name, model, gpu, calibration, framework;
    int gpus = 0;
    double tokensPerStep = 0.0;
    bool fits = false;
    std::optional<RankedPlan> plan;  ///< none: `reason` says why
    std::string reason;
};

/// Input errors of the variant become its `reason`; those of the file as it stands are thrown.
[[nodiscard]] ScenarioAnswer answer(const ScenarioVariant& variant);

}  // namespace orrery::cli
