// Is the variation of a job explained by sequence lengths or by slow devices? Expected against observed time of every
// pass: iteration times that follow the work of the documents are no failing device (ResiHP, arXiv 2605.06374).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/replay/straggler_analysis.hpp"

namespace orrery {

/// The no-delay step as a product: even work on equal devices, times `lengths`, times `devices`, times `rest`.
struct WorkloadCheck {
    double evenStep = 0.0;  ///< s: every pass at the mean expected time of its stage
    double lengths = 1.0;   ///< every pass at the time expected of its own documents, over the even step
    double devices = 1.0;   ///< expected times multiplied by how slow each worker is, over the former
    double rest = 1.0;      ///< what neither explains: recorded over the former
    /// Share of the variance of passes (within type, stage and chunk) that tokens and query-key pairs explain.
    double varianceByLengths = 0.0;
    std::vector<WorkerSlowdown> workers;  ///< observed over expected time, relative to its stage; largest first
    std::string verdict;                  ///< in words, one line
};

/// The expected time of a pass is a + b tokens + c pairs (linear layers and attention; pairs count query-key pairs of
/// the documents), fitted by least squares per type, stage and chunk over all DP ranks, in turn with the slowness of
/// each worker: the median of observed over expected, over the median of its stage. A single DP rank has nothing to be
/// held against: its devices count as equal.
/// Nothing when a pass has no tokens recorded, or when all have the same work or there are fewer than 8 passes of a
/// type.
[[nodiscard]] std::optional<WorkloadCheck> checkWorkload(const ReplayGraph& graph);

}  // namespace orrery
