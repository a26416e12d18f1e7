#include "model/replay/step_edges.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "model/replay/worker_edges.hpp"

namespace orrery {
namespace {

using Groups = std::map<std::tuple<int, int, int, int, int>, OpIds>;

/// Ops that synchronise have the same key: (type, dp or -1, stage or -1, chunk or -1, how many of these came before).
Groups collectiveGroups(const ReplayJob& job, const OpIds& ops) {
    Groups groups;
    std::map<std::tuple<int, int, int, int>, int> seen;
    for (const auto id : ops) {
        const auto& op = job.ops[id];
        const auto scope = job.types[op.type].scope;
        if (scope != SyncScope::replicas && scope != SyncScope::endStages && scope != SyncScope::all) continue;
        const int count = seen[{op.type, op.dp, op.stage, op.chunk}]++;
        groups[{op.type, scope == SyncScope::endStages ? op.dp : -1, scope == SyncScope::replicas ? op.stage : -1,
                scope == SyncScope::replicas ? op.chunk : -1, count}]
            .push_back(id);
    }
    return groups;
}

/// Gradients are reduced during the passes: Megatron then times what is left on its own; else the times tell.
bool reducesDuringPasses(const ReplayJob& job, const std::vector<OpIds>& steps) {
    for (const auto& type : job.types) {
        if (type.name == "separate-grads-all-reduce") return true;
    }
    for (const auto& ids : steps) {
        std::map<std::pair<int, int>, std::pair<std::int64_t, std::int64_t>> workers;  // first reduction, last pass
        for (const auto id : ids) {
            const auto& op = job.ops[id];
            auto& times = workers
                              .try_emplace({op.dp, op.stage}, std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min())
                              .first->second;
            const auto role = job.types[op.type].role;
            if (role == OpRole::gradReduce) times.first = std::min(times.first, op.start);
            if (isPass(role)) times.second = std::max(times.second, op.start + op.duration / 2);
        }
        for (const auto& [worker, times] : workers) {
            if (times.second > times.first) return true;  // the middle of a pass: clocks of lanes differ a little
        }
    }
    return false;
}

/// Joins the two ends of every transfer: by boundary and direction, in order of micro-batch where that is known.
void joinTransfers(const ReplayJob& job, std::map<int, std::vector<OpenTransfer>>& byDp, StepEdges& out) {
    struct Ends {
        std::vector<OpenTransfer> sends, receives;
    };
    for (auto& [dp, transfers] : byDp) {
        std::map<std::pair<bool, int>, Ends> boundaries;
        for (const auto& transfer : transfers) {
            auto& ends = boundaries[{transfer.end.forward, transfer.boundary}];
            (transfer.end.receives ? ends.receives : ends.sends).push_back(transfer);
        }
        for (auto& [key, ends] : boundaries) {
            if (ends.sends.size() != ends.receives.size()) {
                out.missing = fmt::format("DP rank {}: {} sends meet {} receives of the {} pass after stage {}", dp,
                                          ends.sends.size(), ends.receives.size(), key.first ? "forward" : "backward",
                                          key.second % job.pp);
                return;
            }
            const auto earlier = [](const OpenTransfer& a, const OpenTransfer& b) {
                return a.microBatch < b.microBatch;
            };
            std::stable_sort(ends.sends.begin(), ends.sends.end(), earlier);
            std::stable_sort(ends.receives.begin(), ends.receives.end(), earlier);
            for (std::size_t k = 0; k < ends.sends.size(); ++k) {
                if (job.bufferedSends) {
                    out.edges.emplace_back(static_cast<std::uint32_t>(ends.receives[k].op),
                                           static_cast<std::uint32_t>(ends.sends[k].op));
                } else {
                    out.groups.push_back({ends.sends[k].op, ends.receives[k].op});
                }
            }
        }
    }
}

}  // namespace

std::size_t expectedMembers(const ReplayJob& job, SyncScope scope) {
    const auto dp = static_cast<std::size_t>(job.dp), pp = static_cast<std::size_t>(job.pp);
    if (scope == SyncScope::replicas) return dp;
    if (scope == SyncScope::endStages) return std::min<std::size_t>(pp, 2);
    return scope == SyncScope::all ? dp * pp : 0;
}

JobHabits jobHabits(const ReplayJob& job, const std::vector<OpIds>& steps) {
    JobHabits habits;
    habits.overlapped = reducesDuringPasses(job, steps);
    habits.members.assign(job.types.size(), 0);
    for (const auto& ops : steps) {
        for (const auto& [key, members] : collectiveGroups(job, ops)) {
            auto& most = habits.members[static_cast<std::size_t>(std::get<0>(key))];
            most = std::max(most, members.size());
        }
    }
    return habits;
}

StepEdges stepEdges(const ReplayJob& job, const OpIds& ops, const JobHabits& habits) {
    StepEdges out;
    std::map<int, std::vector<OpenTransfer>> transfers;
    int workers = 0;
    for (std::size_t at = 0; at < ops.size();) {
        const auto& first = job.ops[ops[at]];
        OpIds mine;
        while (at < ops.size() && job.ops[ops[at]].dp == first.dp && job.ops[ops[at]].stage == first.stage) {
            mine.push_back(ops[at++]);
        }
        WorkerEdges worker = workerEdges(job, mine, habits.overlapped);
        if (!worker.missing.empty()) {
            out.missing = fmt::format("DP rank {}, stage {}: {}", first.dp, first.stage, worker.missing);
            return out;
        }
        out.edges.insert(out.edges.end(), worker.edges.begin(), worker.edges.end());
        auto& open = transfers[first.dp];
        open.insert(open.end(), worker.transfers.begin(), worker.transfers.end());
        ++workers;
    }
    if (workers != job.dp * job.pp) {
        out.missing = fmt::format("{} of {} workers recorded it", workers, job.dp * job.pp);
        return out;
    }
    for (auto& [key, members] : collectiveGroups(job, ops)) {
        const auto type = static_cast<std::size_t>(std::get<0>(key));
        if (members.size() != habits.members[type]) {
            out.missing = fmt::format("{} of {} workers took part in {}", members.size(), habits.members[type],
                                      job.types[type].name);
            return out;
        }
        out.groups.push_back(std::move(members));
    }
    joinTransfers(job, transfers, out);
    return out;
}

}  // namespace orrery
