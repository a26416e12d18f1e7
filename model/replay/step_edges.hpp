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

/// `ops`: the step's op ids by (dp, stage, start). `overlapped`: gradients are reduced while passes still run.
[[nodiscard]] StepEdges stepEdges(const ReplayJob& job, const OpIds& ops, bool overlapped);

}  // namespace orrery
