#include "model/replay/transfers.hpp"

#include <algorithm>

namespace orrery {
namespace {

using Served = std::vector<std::optional<std::size_t>>;

constexpr std::int64_t kClockSlack = 50'000;  ///< ns by which recorded ends may disagree

/// Transfers that cannot serve any pass by their time: a receive that starts after the last pass has, a send that ends
/// before the first pass has.
bool outOfTime(const ReplayJob& job, const ReplayOp& transfer, const OpIds& passes, TransferEnd end) {
    if (passes.empty()) return true;
    if (end.receives) return transfer.start > job.ops[passes.back()].start + kClockSlack;
    const auto& first = job.ops[passes.front()];
    return transfer.start + transfer.duration + kClockSlack < first.start + first.duration;
}

/// In order: positions of transfers to positions of passes from `offset` on.
std::optional<Served> inOrder(std::size_t transfers, const OpIds& at, const std::vector<std::size_t>& passes) {
    Served served(transfers);
    for (std::size_t k = 0; k < at.size(); ++k) served[at[k]] = passes[k];
    return served;
}

}  // namespace

std::optional<int> boundaryOf(const ReplayJob& job, const ReplayOp& pass, TransferEnd end) {
    const int global = std::max(pass.chunk, 0) * job.pp + pass.stage;
    const bool below = end.forward == end.receives;  // the neighbour is the chunk before
    const int boundary = below ? global - 1 : global;
    if (boundary < 0 || boundary >= job.chunks * job.pp - 1) return std::nullopt;
    return boundary;
}

std::optional<Served> servedPasses(const ReplayJob& job, const OpIds& transfers, const OpIds& passes, TransferEnd end) {
    std::vector<std::size_t> neighboured, all;
    for (std::size_t k = 0; k < passes.size(); ++k) {
        all.push_back(k);
        if (boundaryOf(job, job.ops[passes[k]], end)) neighboured.push_back(k);
    }
    OpIds every, timely;
    for (std::size_t k = 0; k < transfers.size(); ++k) {
        every.push_back(k);
        if (!outOfTime(job, job.ops[transfers[k]], passes, end)) timely.push_back(k);
    }
    for (const auto& at : {timely, every}) {
        if (at.size() == neighboured.size()) return inOrder(transfers.size(), at, neighboured);
        if (at.size() == all.size()) return inOrder(transfers.size(), at, all);
        if (end.receives && at.size() + 1 == all.size()) {
            return inOrder(transfers.size(), at, {all.begin() + 1, all.end()});
        }
    }
    return std::nullopt;
}

}  // namespace orrery
