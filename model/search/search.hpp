// The best plans of a space by the model's own prediction.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "model/predict/prediction.hpp"
#include "model/search/candidates.hpp"
#include "model/search/search_peers.hpp"

namespace orrery {

/// A plan of the user's own, which need not lie in the space.
struct ReferencePlan {
    ParallelPlan plan;
    int microBatch = 1;
};

/// What is searched: a job and the plans to look at.
struct SearchProblem {
    ModelSpec model;
    JobSize job;
    PlanSpace space;
    CostModel cost;
    std::optional<CostModel> costOfFullSharding;  ///< of plans with ZeRO-3, which other frameworks run; else `cost`
    /// The documents of a step for so many replicas and sequences a micro-batch. Throws InputError when they do not
    /// divide: such plans are counted as Rejection::batch. Called from one thread.
    std::function<Workload(int dp, int microBatch)> workload;
    std::optional<ReferencePlan> reference;  ///< a plan to rank among the others

    [[nodiscard]] const CostModel& costOf(Sharding sharding) const {
        return sharding == Sharding::zero3 && costOfFullSharding ? *costOfFullSharding : cost;
    }
};

struct SearchProgress {
    std::int64_t done = 0, all = 0;  ///< plans of the current phase
    bool simulating = false;         ///< the second phase: plans whose bound is good enough are run
    double best = 0.0;               ///< seconds of the best plan so far; 0: none yet
};

struct SearchOptions {
    int top = 10;
    bool exhaustive = false;  ///< runs every plan that fits, also those that cannot be among the answers
    int threads = 0;          ///< 0: all cores
    std::function<void(const SearchProgress&)> progress;  ///< called between batches, from the calling thread
    const std::atomic<bool>* stop = nullptr;              ///< ends the search soon, keeping what was found
    SearchPeers* peers = nullptr;                         ///< processes that share the work; nullptr: none
};

struct RankedPlan {
    ParallelPlan plan;
    int microBatch = 1;     ///< sequences
    Prediction prediction;  ///< without timeline
};

struct SearchResult {
    std::int64_t points = 0;     ///< of the space
    std::int64_t evaluated = 0;  ///< legal plans whose costs and memory were computed
    std::int64_t feasible = 0;   ///< of them, those that fit
    std::int64_t simulated = 0;  ///< of these, those whose schedule had to be run; the bound ruled the others out
    RejectionCounts rejected{};
    std::vector<RankedPlan> best;          ///< by step time, then memory, then order of enumeration
    std::vector<RankedPlan> front;         ///< Pareto front of step time and peak memory, fastest first
    std::optional<RankedPlan> reference;   ///< also when it does not fit
    std::int64_t betterThanReference = 0;  ///< feasible plans with a shorter step
    bool interrupted = false;
};

/// Exact: the plans returned are those that predicting every feasible plan would return. First every legal plan gets
/// its memory and its step time, or a lower bound where only a run of the schedule can tell; then plans are run in
/// order of their bounds until none that is left can be among the answers. Deterministic, whatever threads and peers.
/// Throws InputError when no plan of the space is legal, with the commonest reason.
[[nodiscard]] SearchResult search(const SearchProblem& problem, const SearchOptions& options = {});

}  // namespace orrery
