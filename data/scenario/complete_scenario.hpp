// Fills in what a scenario leaves open: the calibration that comes with the program, and a usual framework.
#pragma once

#include <string>

#include "data/catalog/catalog.hpp"
#include "model/predict/prediction.hpp"

namespace orrery {

/// A scenario without calibration takes the shipped one where that knows the GPU, and, where it names no framework, the
/// usual one for a GPU: "pytorch-fsdp" under full sharding, else "megatron-core". A scenario with its own calibration
/// was measured in its own framework and keeps an ideal one. Returns what a reader should be told about the
/// calibration: its name, "shipped (published kernel tables)" or "none (data sheets)".
std::string completeScenario(Scenario& scenario, const Catalog& catalog = Catalog());

}  // namespace orrery
