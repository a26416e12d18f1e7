// The questions one asks a measured job: what if this were even, faster, gone. A target names a set of ops.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/replay/replay_graph.hpp"

namespace orrery {

/// A set of ops. Written `compute`, `comm`, `rank:R` (a DP rank, all stages), `stage:S`, `worker:R,S`, `op:NAME` (a
/// type or a family of types, as in by-op metrics), `all`.
struct WhatIfTarget {
    enum class Kind { all, compute, comm, dpRank, stage, worker, op } kind = Kind::all;
    int dp = -1, stage = -1;
    std::string op;

    [[nodiscard]] bool contains(const ReplayGraph& graph, const ReplayOp& op) const;
};

/// Reads a target and checks that the job has it. Throws InputError that lists what there is.
[[nodiscard]] WhatIfTarget parseWhatIfTarget(std::string_view text, const ReplayGraph& graph);

/// Durations (ns, one per op) of an even job: a compute op takes the mean of its type over ranks, stages and steps, a
/// communication op the median transfer time of its type (Lin et al. 2025, arXiv 2505.05713, and their published
/// analysis).
[[nodiscard]] std::vector<double> evenDurations(const ReplayGraph& graph);

/// `durations` where the ops of the target take those of `replacement`.
[[nodiscard]] std::vector<double> replaced(const ReplayGraph& graph, std::vector<double> durations,
                                           const WhatIfTarget& target, const std::vector<double>& replacement);
/// `durations` where those of the target are multiplied.
[[nodiscard]] std::vector<double> scaled(const ReplayGraph& graph, std::vector<double> durations,
                                         const WhatIfTarget& target, double factor);

/// Mean of step lengths, s.
[[nodiscard]] double meanStep(const std::vector<double>& steps);

}  // namespace orrery
