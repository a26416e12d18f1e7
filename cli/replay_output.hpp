// A replayed job as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/replay/straggler_analysis.hpp"
#include "model/replay/workload_check.hpp"

namespace orrery::cli {

/// What --even and --scale asked for, and what came out.
struct WhatIfResult {
    std::vector<std::string> changes;  ///< "even stage:3", "scale compute=0.9"
    double step = 0.0;                 ///< s, mean over steps
};

struct ReplayOutput {
    StragglerAnalysis analysis;
    std::optional<WorkloadCheck> workload;
    std::optional<WhatIfResult> whatIf;
    std::vector<std::string> warnings;
};

[[nodiscard]] std::string replayJson(const ReplayGraph& graph, const ReplayOutput& output);
[[nodiscard]] std::string replayText(const ReplayGraph& graph, const ReplayOutput& output);

}  // namespace orrery::cli
