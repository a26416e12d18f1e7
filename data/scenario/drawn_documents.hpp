// Documents of a [workload] that come from a file or a distribution. Internal to data/scenario.
#pragma once

#include <filesystem>
#include <optional>

#include "data/toml/strict_table.hpp"
#include "model/spec/workload.hpp"

namespace orrery {

/// What [workload] says about drawn documents; every key is asked for, so that finish() knows it.
struct DrawnDocuments {
    std::optional<std::string> file, family;
    std::optional<double> median, sigma, mean, alpha, charactersPerToken;
    std::optional<std::int64_t> minimum, maximum, seed, microBatches, tokensPerMicroBatch;

    [[nodiscard]] bool given() const { return file || family; }
};

[[nodiscard]] DrawnDocuments readDrawnDocuments(StrictTable& fields);

/// Packs them by concatenation. From a file: in its order, or drawn from it with replacement when there is a seed.
/// `folder` is the scenario's. Throws InputError.
[[nodiscard]] Workload packDrawn(const StrictTable& fields, const DrawnDocuments& drawn,
                                 const std::filesystem::path& folder, std::int64_t sequenceLength,
                                 std::int64_t microBatch, int dp);

}  // namespace orrery
