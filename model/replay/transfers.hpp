// Which transfer belongs to which forward or backward pass of a worker. Internal to model/replay.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/replay/replay_job.hpp"

namespace orrery {

using OpIds = std::vector<std::size_t>;

/// One direction of a pipeline at one worker.
struct TransferEnd {
    bool forward = true, receives = true;
};

/// Boundary between global chunks that a pass's transfer crosses: chunk x pp + stage counts global chunks, boundary b
/// lies between b and b + 1. Nothing at the ends of the model: the first chunk receives no activation.
[[nodiscard]] std::optional<int> boundaryOf(const ReplayJob& job, const ReplayOp& pass, TransferEnd end);

/// For each transfer (in recorded order) the pass it serves, by position in `passes` (in recorded order, of the same
/// direction); nothing for one that serves none. The k-th transfer serves the k-th pass that has a neighbour; a
/// recorder that also marks transfers that never happened (interleaved schedules, ends of the model) has one for every
/// pass, or for every pass but the first.
/// Returns nothing when the counts fit neither.
[[nodiscard]] std::optional<std::vector<std::optional<std::size_t>>> servedPasses(const ReplayJob& job,
                                                                                  const OpIds& transfers,
                                                                                  const OpIds& passes, TransferEnd end);

}  // namespace orrery
