#include "model/replay/worker_edges.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace orrery {
namespace {

/// A worker's ops by what they are to the schedule, each list in recorded order.
struct Lists {
    OpIds passes, forward, backward, gathers, reductions, stepEnd;
    std::map<OpRole, OpIds> transfers;
};

constexpr struct {
    OpRole role;
    TransferEnd end;
} kTransfers[] = {{OpRole::forwardSend, {true, false}},
                  {OpRole::forwardRecv, {true, true}},
                  {OpRole::backwardSend, {false, false}},
                  {OpRole::backwardRecv, {false, true}}};

class Worker {
  public:
    Worker(const ReplayJob& job, const OpIds& ops, bool overlapped) : job_(job) {
        for (const auto id : ops) sort(id, overlapped);
        std::stable_sort(lists_.stepEnd.begin(), lists_.stepEnd.end(),
                         [&](std::size_t a, std::size_t b) { return type(a).place < type(b).place; });
    }

    WorkerEdges build(const OpIds& ops) {
        if (lists_.passes.empty()) {
            out_.missing = "no forward or backward pass";
            return std::move(out_);
        }
        for (const auto& [role, end] : kTransfers) {
            if (!transfers(role, end)) return std::move(out_);
        }
        if (job_.sequential) {
            chain(ops);
            return std::move(out_);
        }
        chain(lists_.passes);
        firstBackward();
        gathersAndReductions();
        endOfStep();
        return std::move(out_);
    }

  private:
    [[nodiscard]] const OpType& type(std::size_t id) const { return job_.types[job_.ops[id].type]; }
    void wait(std::size_t op, std::size_t before) {
        out_.edges.emplace_back(static_cast<std::uint32_t>(op), static_cast<std::uint32_t>(before));
    }
    void chain(const OpIds& ids) {
        for (std::size_t k = 1; k < ids.size(); ++k) wait(ids[k], ids[k - 1]);
    }

    void sort(std::size_t id, bool overlapped) {
        const OpRole role = type(id).role;
        if (isPass(role)) lists_.passes.push_back(id);
        if (role == OpRole::forward) lists_.forward.push_back(id);
        if (role == OpRole::backward) lists_.backward.push_back(id);
        if (role == OpRole::paramGather) lists_.gathers.push_back(id);
        if (role == OpRole::gradReduce) (overlapped ? lists_.reductions : lists_.stepEnd).push_back(id);
        if (role == OpRole::stepEnd) lists_.stepEnd.push_back(id);
        if (role >= OpRole::forwardSend && role <= OpRole::backwardRecv) lists_.transfers[role].push_back(id);
    }

    bool transfers(OpRole role, TransferEnd end) {
        const OpIds& ids = lists_.transfers[role];
        const OpIds& passes = end.forward ? lists_.forward : lists_.backward;
        const auto served = servedPasses(job_, ids, passes, end);
        if (!served) {
            out_.missing =
                fmt::format("{} {}-{} for {} {} passes", ids.size(), end.forward ? "forward" : "backward",
                            end.receives ? "recv" : "send", passes.size(), end.forward ? "forward" : "backward");
            return false;
        }
        if (!job_.sequential) chain(ids);
        for (std::size_t k = 0; k < ids.size(); ++k) {
            if (!(*served)[k]) continue;
            const std::size_t pass = *(*served)[k];
            if (!job_.sequential) {
                if (end.receives) {
                    wait(passes[pass], ids[k]);
                    if (pass > 0) wait(ids[k], passes[pass - 1]);
                } else {
                    wait(ids[k], passes[pass]);
                }
            }
            const auto& op = job_.ops[passes[pass]];
            if (const auto boundary = boundaryOf(job_, op, end)) {
                out_.transfers.push_back({ids[k], end, *boundary, op.microBatch});
            }
        }
        return true;
    }

    /// The first backward transfers are issued with the last pass of the warm-up: they follow the one before it.
    void firstBackward() {
        const auto first = std::find_if(lists_.passes.begin(), lists_.passes.end(),
                                        [&](std::size_t id) { return type(id).role == OpRole::backward; });
        if (first == lists_.passes.end() || first - lists_.passes.begin() < 2) return;
        for (const auto role : {OpRole::backwardSend, OpRole::backwardRecv}) {
            const OpIds& ids = lists_.transfers[role];
            if (!ids.empty()) wait(ids.front(), *(first - 2));
        }
    }

    /// One stream; the last gather of a chunk gates its first forward pass, its last backward pass gates its reduction.
    void gathersAndReductions() {
        OpIds stream = lists_.gathers;
        stream.insert(stream.end(), lists_.reductions.begin(), lists_.reductions.end());
        std::stable_sort(stream.begin(), stream.end(),
                         [&](std::size_t a, std::size_t b) { return job_.ops[a].start < job_.ops[b].start; });
        chain(stream);
        const auto sameChunk = [&](std::size_t gather) {
            return [this, gather](std::size_t pass) {
                const auto chunk = job_.ops[gather].chunk;
                return chunk < 0 || job_.ops[pass].chunk < 0 || job_.ops[pass].chunk == chunk;
            };
        };
        for (const auto gather : lists_.gathers) {
            const auto pass = std::find_if(lists_.forward.begin(), lists_.forward.end(), sameChunk(gather));
            if (pass != lists_.forward.end()) wait(*pass, gather);
        }
        for (const auto reduction : lists_.reductions) {
            const auto pass = std::find_if(lists_.backward.rbegin(), lists_.backward.rend(), sameChunk(reduction));
            if (pass != lists_.backward.rend()) wait(reduction, *pass);
        }
    }

    void endOfStep() {
        if (lists_.stepEnd.empty()) return;
        wait(lists_.stepEnd.front(), lists_.passes.back());
        chain(lists_.stepEnd);
        if (lists_.reductions.empty()) return;
        // gc runs on the host; the reductions of the step's end queue behind the overlapped ones.
        const auto next = std::find_if(lists_.stepEnd.begin(), lists_.stepEnd.end(),
                                       [&](std::size_t id) { return type(id).place > 0; });
        if (next != lists_.stepEnd.end()) wait(*next, lists_.reductions.back());
    }

    const ReplayJob& job_;
    Lists lists_;
    WorkerEdges out_;
};

}  // namespace

WorkerEdges workerEdges(const ReplayJob& job, const OpIds& ops, bool overlapped) {
    return Worker(job, ops, overlapped).build(ops);
}

}  // namespace orrery
