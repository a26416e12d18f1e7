#include "model/replay/replay_graph.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "model/replay/step_edges.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr std::size_t kNamedSteps = 3;  ///< incomplete steps that warnings name one by one

/// Op ids of each step by (dp, stage, start); ops of equal start in the order given.
std::vector<OpIds> opsBySteps(const ReplayJob& job) {
    std::vector<OpIds> steps(job.steps.size());
    for (std::size_t id = 0; id < job.ops.size(); ++id) {
        steps[static_cast<std::size_t>(job.ops[id].step)].push_back(id);
    }
    for (auto& ids : steps) {
        std::stable_sort(ids.begin(), ids.end(), [&](std::size_t a, std::size_t b) {
            const auto& x = job.ops[a];
            const auto& y = job.ops[b];
            return std::tie(x.dp, x.stage, x.start) < std::tie(y.dp, y.stage, y.start);
        });
    }
    return steps;
}

void checkOps(const ReplayJob& job) {
    for (const auto& op : job.ops) {
        if (op.duration < 0) {
            throw InputError(fmt::format(
                "step {}, DP rank {}, stage {}: {} ends {} ns before it starts; record it again",
                job.steps[static_cast<std::size_t>(op.step)], op.dp, op.stage, job.types[op.type].name, -op.duration));
        }
    }
    if (job.ops.size() >= std::numeric_limits<std::uint32_t>::max() / 4) {
        throw InputError(fmt::format("{} phases are more than replay takes; record fewer steps", job.ops.size()));
    }
}

/// The job with only the ops of steps that are kept, step indexes anew.
ReplayJob keptSteps(ReplayJob job, const std::vector<char>& keep) {
    std::vector<std::int32_t> renamed(job.steps.size(), -1);
    std::vector<std::int64_t> steps;
    for (std::size_t s = 0; s < keep.size(); ++s) {
        if (keep[s] == 0) continue;
        renamed[s] = static_cast<std::int32_t>(steps.size());
        steps.push_back(job.steps[s]);
    }
    std::erase_if(job.ops, [&](const ReplayOp& op) { return renamed[static_cast<std::size_t>(op.step)] < 0; });
    for (auto& op : job.ops) op.step = renamed[static_cast<std::size_t>(op.step)];
    job.steps = std::move(steps);
    return job;
}

}  // namespace

ReplayGraph::ReplayGraph(ReplayJob job) : job_(std::move(job)) {
    checkOps(job_);
    auto steps = opsBySteps(job_);
    const JobHabits habits = jobHabits(job_, steps);
    for (std::size_t t = 0; t < habits.members.size(); ++t) {
        const auto expected = expectedMembers(job_, job_.types[t].scope);
        if (habits.members[t] == 0 || habits.members[t] >= expected) continue;
        warnings_.push_back(fmt::format("{}: {} of {} workers recorded it in every step; only they wait for each other",
                                        job_.types[t].name, habits.members[t], expected));
    }
    std::vector<StepEdges> built;
    std::vector<char> keep;
    std::size_t left = 0;
    std::string firstReason;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        built.push_back(stepEdges(job_, steps[s], habits));
        const auto& missing = built.back().missing;
        keep.push_back(missing.empty() ? 1 : 0);
        if (missing.empty()) continue;
        if (firstReason.empty()) firstReason = fmt::format("step {}: {}", job_.steps[s], missing);
        if (++left <= kNamedSteps) {
            warnings_.push_back(fmt::format("step {} is left out, it is not complete: {}", job_.steps[s], missing));
        }
    }
    if (left == steps.size()) {
        throw InputError(fmt::format("no step is complete ({}); record whole steps of every worker",
                                     firstReason.empty() ? "there is none" : firstReason));
    }
    if (left > kNamedSteps) warnings_.push_back(fmt::format("{} steps are left out in all", left));
    if (left > 0) {
        job_ = keptSteps(std::move(job_), keep);
        steps = opsBySteps(job_);
        built.clear();
        for (const auto& ids : steps) built.push_back(stepEdges(job_, ids, habits));
    }

    const auto count = static_cast<std::uint32_t>(job_.ops.size());
    std::vector<std::uint32_t> groupOf(count, std::numeric_limits<std::uint32_t>::max());
    std::uint32_t groups = 0;
    recorded_.resize(count);
    for (std::uint32_t id = 0; id < count; ++id) recorded_[id] = static_cast<double>(job_.ops[id].duration);
    dependsBegin_.assign(count + 1, 0);
    for (const auto& step : built) {
        for (const auto& [op, before] : step.edges) ++dependsBegin_[op + 1];
    }
    for (std::uint32_t id = 0; id < count; ++id) dependsBegin_[id + 1] += dependsBegin_[id];
    depends_.resize(dependsBegin_.back());
    auto next = dependsBegin_;
    for (const auto& step : built) {
        for (const auto& [op, before] : step.edges) {
            depends_[next[op]++] = before;
            // A buffered send was over before the receive could end: it transfers from then on.
            const auto &receive = job_.ops[op], &send = job_.ops[before];
            if (!job_.bufferedSends || type(receive).scope != SyncScope::pair || receive.stage == send.stage) continue;
            const auto from = std::max(receive.start, send.start + send.duration);
            recorded_[op] = std::max(0.0, static_cast<double>(receive.start + receive.duration - from));
        }
        for (const auto& group : step.groups) {
            std::int64_t latest = std::numeric_limits<std::int64_t>::min();
            for (const auto id : group) latest = std::max(latest, job_.ops[id].start);
            for (const auto id : group) {
                const auto& op = job_.ops[id];
                recorded_[id] = std::max(0.0, static_cast<double>(op.start + op.duration - latest));
                groupOf[id] = groups;
            }
            ++groups;
        }
    }
    for (auto& group : groupOf) {
        if (group == std::numeric_limits<std::uint32_t>::max()) group = groups++;
    }
    for (const auto& ids : steps) {
        std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
        for (const auto id : ids) {
            first = std::min(first, job_.ops[id].start);
            last = std::max(last, job_.ops[id].start + job_.ops[id].duration);
        }
        recordedSteps_.push_back(static_cast<double>(last - first) * kNanosecond);
    }
    order(groupOf, groups);
}

/// Kahn's algorithm over groups: a group comes when all its members' predecessors have come.
void ReplayGraph::order(const std::vector<std::uint32_t>& groupOf, std::uint32_t groups) {
    const auto count = static_cast<std::uint32_t>(groupOf.size());
    std::vector<std::uint32_t> membersBegin(groups + 1, 0), members(count);
    for (const auto group : groupOf) ++membersBegin[group + 1];
    for (std::uint32_t g = 0; g < groups; ++g) membersBegin[g + 1] += membersBegin[g];
    auto next = membersBegin;
    for (std::uint32_t id = 0; id < count; ++id) members[next[groupOf[id]]++] = id;

    std::vector<std::uint32_t> waiting(groups, 0), followersBegin(count + 1, 0), followers(depends_.size());
    for (const auto before : depends_) ++followersBegin[before + 1];
    for (std::uint32_t id = 0; id < count; ++id) followersBegin[id + 1] += followersBegin[id];
    next = followersBegin;
    for (std::uint32_t id = 0; id < count; ++id) {
        for (auto k = dependsBegin_[id]; k < dependsBegin_[id + 1]; ++k) {
            followers[next[depends_[k]]++] = groupOf[id];
            ++waiting[groupOf[id]];
        }
    }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t g = 0; g < groups; ++g) {
        if (waiting[g] == 0) ready.push_back(g);
    }
    groupBegin_.push_back(0);
    for (std::size_t at = 0; at < ready.size(); ++at) {
        const auto g = ready[at];
        for (auto m = membersBegin[g]; m < membersBegin[g + 1]; ++m) {
            ordered_.push_back(members[m]);
            for (auto f = followersBegin[members[m]]; f < followersBegin[members[m] + 1]; ++f) {
                if (--waiting[followers[f]] == 0) ready.push_back(followers[f]);
            }
        }
        groupBegin_.push_back(static_cast<std::uint32_t>(ordered_.size()));
    }
    if (ordered_.size() == count) return;
    for (std::uint32_t id = 0; id < count; ++id) {
        if (waiting[groupOf[id]] == 0) continue;
        const auto& op = job_.ops[id];
        throw InputError(
            fmt::format("step {}: phases wait for each other in a circle, through {} of DP rank {}, stage {} "
                        "(micro-batch {}); the recorded order or the micro-batch numbers are damaged",
                        job_.steps[static_cast<std::size_t>(op.step)], type(op).name, op.dp, op.stage, op.microBatch));
    }
}

std::vector<double> ReplayGraph::ends(const std::vector<double>& durations) const {
    std::vector<double> end(job_.ops.size(), 0.0);
    for (std::size_t g = 0; g + 1 < groupBegin_.size(); ++g) {
        double start = 0.0;
        for (auto m = groupBegin_[g]; m < groupBegin_[g + 1]; ++m) {
            const auto id = ordered_[m];
            for (auto k = dependsBegin_[id]; k < dependsBegin_[id + 1]; ++k) start = std::max(start, end[depends_[k]]);
        }
        for (auto m = groupBegin_[g]; m < groupBegin_[g + 1]; ++m) end[ordered_[m]] = start + durations[ordered_[m]];
    }
    return end;
}

std::vector<double> ReplayGraph::simulate(const std::vector<double>& durations) const {
    const auto end = ends(durations);
    std::vector<double> steps(job_.steps.size(), 0.0);
    for (std::size_t id = 0; id < end.size(); ++id) {
        auto& step = steps[static_cast<std::size_t>(job_.ops[id].step)];
        step = std::max(step, end[id] * kNanosecond);
    }
    return steps;
}

}  // namespace orrery
