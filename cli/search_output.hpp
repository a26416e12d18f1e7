// The answer of a search as text and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "data/scenario/search_file.hpp"

namespace orrery::cli {

/// "tp 8 pp 16 vpp 2 dp 4 mb 1, interleaved, recompute none, zero1, sp"
[[nodiscard]] std::string describe(const ParallelPlan& plan, int microBatch);

/// Sizes, choices and metrics of a plan, as in `search --json`.
[[nodiscard]] nlohmann::ordered_json planJson(const RankedPlan& ranked);

/// Tables on stdout: what was looked at and why plans fell out, the best plans, why the first beats the second, where
/// the scenario's own plan stands, and, when asked for, the Pareto front.
void printSearch(const ScenarioSearch& search, const SearchResult& result, double seconds, bool pareto);

/// `orrery search --json` (docs/cli.md).
[[nodiscard]] nlohmann::ordered_json searchJson(const ScenarioSearch& search, const SearchResult& result,
                                                double seconds);

}  // namespace orrery::cli
