// A prediction as the JSON of `orrery predict --json` (docs/cli.md).
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "model/predict/prediction.hpp"

namespace orrery::cli {

/// GiB by what they are for.
[[nodiscard]] nlohmann::ordered_json memoryJson(const MemoryUse& memory);

[[nodiscard]] nlohmann::ordered_json toJson(const Scenario& scenario, const Prediction& prediction,
                                            const std::string& calibrationName);

}  // namespace orrery::cli
