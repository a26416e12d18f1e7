// [operation] of a scenario: what running the cluster takes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/catalog/catalog.hpp"
#include "data/scenario/overrides.hpp"
#include "model/capacity/training_cost.hpp"

namespace orrery {

/// The catalog's figures of a GPU, and over them what the scenario's [operation] says: price_per_gpu_hour, pue,
/// availability, host_watts_per_gpu, tdp_watts, waiting_share. Throws InputError.
[[nodiscard]] Operation readOperation(const std::filesystem::path& scenario, const std::string& gpu,
                                      const std::vector<Override>& overrides = {}, const Catalog& catalog = Catalog());

}  // namespace orrery
