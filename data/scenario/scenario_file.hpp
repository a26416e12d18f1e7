// Scenario files: TOML with [model], [cluster], [plan], [workload] and [calibration] (docs/cli.md lists every key).
#pragma once

#include <filesystem>

#include "data/catalog/catalog.hpp"
#include "data/scenario/overrides.hpp"
#include "model/predict/prediction.hpp"

namespace orrery {

/// Reads a scenario and checks it as a whole: unknown keys, types and ranges with file:line:column and the mend; sizes
/// that do not fit each other (tp against heads, plan against cluster, batch against replicas). Throws InputError.
[[nodiscard]] Scenario readScenario(const std::filesystem::path& file, const Catalog& catalog = Catalog(),
                                    const std::vector<Override>& overrides = {});

}  // namespace orrery
