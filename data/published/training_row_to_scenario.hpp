// From a published row to a scenario: parallel order, links and everything that the row leaves open, each assumption
// noted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/published/training_csv.hpp"
#include "model/calibrate/calibrate.hpp"
#include "model/predict/prediction.hpp"

namespace orrery {

struct RowScenario {
    Scenario scenario;                     ///< without calibration and runtime
    std::string framework;                 ///< catalog entry that the row's framework is, or is nearest to
    std::vector<std::string> assumptions;  ///< "recompute blank: none", ...
};

/// Why a row cannot be predicted with the present width of the model; empty when it can.
[[nodiscard]] std::string whyNotPredictable(const TrainingRow& row);

/// The scenario without calibration. Devices are numbered tp, cp, dp, pp from the inside out (Megatron's order); a node
/// holds `gpus_per_node` consecutive ranks. Throws InputError when the row contradicts itself (the message says how) or
/// `lookup` does not know the GPU. \pre whyNotPredictable(row) is empty
[[nodiscard]] RowScenario toScenario(const TrainingRow& row, const GpuLookup& lookup);

}  // namespace orrery
