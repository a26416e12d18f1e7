// The dependency graph of a measured job: which op waits for which, and how long each takes once it need not wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/replay/replay_job.hpp"

namespace orrery {

/// Ops of all steps that could be rebuilt. Ids are indexes in job().ops.
class ReplayGraph {
  public:
    /// Rebuilds the graph as Lin et al. 2025 (arXiv 2505.05713) do. Within a worker, passes run in recorded order; the
    /// k-th receive precedes the k-th pass of its direction and follows the pass of that direction before it; the k-th
    /// pass precedes the k-th send; each of the four kinds of transfer is a stream; the first backward transfers follow
    /// the last pass but one before the first backward pass; gathers precede the first forward pass of their chunk;
    /// the step's end follows the last pass. A job with ReplayJob::sequential runs each worker's ops one after the
    /// other instead. Across workers, ops synchronise by their SyncScope.
    /// Steps that lack ops (a recording that began or ended inside them) are left out and named in warnings().
    /// Throws InputError when no step is left, a duration is negative, or ops wait for each other in a circle.
    explicit ReplayGraph(ReplayJob job);

    [[nodiscard]] const ReplayJob& job() const { return job_; }
    [[nodiscard]] const OpType& type(const ReplayOp& op) const { return job_.types[op.type]; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

    /// Recorded duration without waiting, ns: of a compute op its duration; of a communication op its end minus the
    /// latest start among the ops that it synchronises with, at least 0.
    [[nodiscard]] const std::vector<double>& recorded() const { return recorded_; }
    /// Recorded length of each step, s: from its first start to its last end.
    [[nodiscard]] const std::vector<double>& recordedSteps() const { return recordedSteps_; }

    /// Length of each step in s when every op starts as soon as the ops before it have ended and those it synchronises
    /// with are ready, and then takes its duration (ns, one per op).
    [[nodiscard]] std::vector<double> simulate(const std::vector<double>& durations) const;
    /// The same run as the end of every op, in ns since its step began.
    [[nodiscard]] std::vector<double> ends(const std::vector<double>& durations) const;

  private:
    void order(const std::vector<std::uint32_t>& groupOf, std::uint32_t groups);

    ReplayJob job_;
    std::vector<std::string> warnings_;
    std::vector<double> recorded_, recordedSteps_;
    std::vector<std::uint32_t> depends_, dependsBegin_;  ///< of op i: depends_[dependsBegin_[i] .. dependsBegin_[i+1])
    std::vector<std::uint32_t> ordered_, groupBegin_;    ///< ops in an order that respects all dependencies, by group
};

}  // namespace orrery
