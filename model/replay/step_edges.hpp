// Dependencies and groups of one step. Internal to model/replay.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/replay/replay_job.hpp"
#include "model/replay/transfers.hpp"

namespace orrery {

struct StepEdges {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< (op, the op it waits for)
    std::vector<OpIds> groups;                                   ///< ops that start their transfer together
    std::string missing;                                         ///< why the step cannot be rebuilt; empty: it can
};

/// What all steps of a job have in common.
struct JobHabits {
    bool overlapped = false;  ///< gradients are reduced while passes still run
    /// Per type the most workers that took part in one collective: recorders may leave some out in every step.
    std::vector<std::size_t> members;
};

/// `steps`: op ids of each step by (dp, stage, start).
[[nodiscard]] JobHabits jobHabits(const ReplayJob& job, const std::vector<OpIds>& steps);

/// `ops`: the step's op ids by (dp, stage, start).
[[nodiscard]] StepEdges stepEdges(const ReplayJob& job, const OpIds& ops, const JobHabits& habits);

/// How many workers take part in a collective of this scope.
[[nodiscard]] std::size_t expectedMembers(const ReplayJob& job, SyncScope scope);

}  // namespace orrery
