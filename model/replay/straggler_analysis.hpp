// Metrics of a measured job: how much slower than even it runs, and which ranks, stages and ops explain it.
// Definitions are those of Lin et al. 2025 (arXiv 2505.05713) and of their published analysis.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/replay/replay_graph.hpp"

namespace orrery {

/// Which of the causes that the paper names explains most.
enum class StragglerCause { none, slowWorkers, lastStage, unevenStages, unevenMicroBatches, communication, mixed };
[[nodiscard]] std::string_view name(StragglerCause cause);

struct WorkerSlowdown {
    int dp = 0, stage = 0;
    double slowdown = 1.0;
};

/// Shares of the slowdown: (no-delay - no-delay with these ops even) / (no-delay - ideal). 1: the whole of it; they
/// need not sum to 1, for ops wait for each other. 0 when there is no slowdown.
struct ExplainedShares {
    double slowestWorkers = 0.0;  ///< the 3 % slowest workers, at least one (M_W, eq. 5)
    double lastStage = 0.0;       ///< M_S, section 5.2; 0 without a pipeline
    double stages = 0.0;          ///< all passes of a stage at the mean of all stages
    double microBatches = 0.0;    ///< passes of each worker at the mean of its own
    double communication = 0.0;   ///< transfers at the median
};

struct StragglerAnalysis {
    std::vector<double> recordedSteps, noDelaySteps, idealSteps;        ///< s, by step
    double recorded = 0.0, noDelay = 0.0, ideal = 0.0, slowdown = 1.0;  ///< means, s; noDelay / ideal
    std::vector<std::pair<std::string, double>> byOp;                   ///< largest first
    std::vector<double> byDpRank, byStage;
    std::vector<WorkerSlowdown> byWorker;  ///< largest first; the smaller of its DP rank's and its stage's (eq. 4)
    ExplainedShares explained;
    std::vector<WorkerSlowdown> slowestWorkers;  ///< those behind explained.slowestWorkers
    /// Pearson's correlation of forward and backward time over micro-batches, each against the mean of its worker: near
    /// 1 where long documents make both long. 0 when there are too few.
    double forwardBackwardCorrelation = 0.0;
    StragglerCause cause = StragglerCause::none;
    std::string causeText;  ///< in words, one line
};

/// \pre the graph has at least one step (it always has).
[[nodiscard]] StragglerAnalysis analyseStragglers(const ReplayGraph& graph);

}  // namespace orrery
