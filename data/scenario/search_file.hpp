// Scenario files whose [plan] leaves something open, for `orrery search` (docs/cli.md).
#pragma once

#include <filesystem>
#include <string>

#include "data/catalog/catalog.hpp"
#include "data/scenario/overrides.hpp"
#include "model/search/search.hpp"

namespace orrery {

struct ScenarioSearch {
    std::string name;
    SearchProblem problem;
    std::string calibration;  ///< where times come from, as completeScenario() says it
    std::string framework;
};

/// In [plan], tp, pp, vpp, dp, cp, ep, etp, micro_batch, schedule, recompute, sharding, sequence_parallel and
/// layer_split take a value, a list of values or "auto"; sizes take a range "2..16", too. A scenario without [plan] is
/// searched over everything, one with a plan that leaves nothing open is searched around it. Throws InputError.
struct SearchFileOptions {
    std::filesystem::path calibration;  ///< when not empty, replaces the scenario's own
    std::vector<Override> overrides;
    bool openAll = false;  ///< a plan that leaves nothing open only gives number formats and the like: it need not fit
                           ///< the cluster, and is no reference
};
[[nodiscard]] ScenarioSearch readSearch(const std::filesystem::path& file, const SearchFileOptions& options = {},
                                        const Catalog& catalog = Catalog());

}  // namespace orrery
