// Dependencies inside one worker's step, and the transfers that it offers to its neighbours. Internal to model/replay.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/replay/transfers.hpp"

namespace orrery {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  ///< (op, the op it waits for)

/// A transfer that crosses a boundary, with the micro-batch it carries.
struct OpenTransfer {
    std::size_t op = 0;
    TransferEnd end;
    int boundary = 0;
    std::int32_t microBatch = -1;
};

struct WorkerEdges {
    Edges edges;
    std::vector<OpenTransfer> transfers;
    std::string missing;  ///< why the worker cannot be rebuilt; empty: it can
};

/// `ops`: the worker's op ids of one step in recorded order.
[[nodiscard]] WorkerEdges workerEdges(const ReplayJob& job, const OpIds& ops, bool overlapped);

}  // namespace orrery
