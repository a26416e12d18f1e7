#include "data/replay/replay_input.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "data/replay/phase_records.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr int kMostChunks = 1024;  ///< model chunks a stage; real jobs have up to tens

struct Worker {
    int dp = 0, stage = 0;
};

/// Places every rank: ranks of a stage are its DP ranks, in order.
std::map<std::int64_t, Worker> placeRanks(const PhaseRecords& records, const std::string& file, ReplayJob& job) {
    std::map<int, int> perStage;
    std::map<std::int64_t, Worker> workers;
    for (const auto& [rank, stage] : records.stageOfRank) workers[rank] = {perStage[stage]++, stage};
    job.pp = static_cast<int>(perStage.size());
    job.dp = perStage.begin()->second;
    const auto& last = *perStage.rbegin();
    if (perStage.begin()->first != 0 || last.first != job.pp - 1) {
        throw InputError(fmt::format("{}: has ranks of stages {} to {} but of {} in all; import every rank", file,
                                     perStage.begin()->first, last.first, job.pp));
    }
    for (const auto& [stage, count] : perStage) {
        if (count == job.dp) continue;
        throw InputError(fmt::format("{}: stage 0 has {} ranks, stage {} has {}; import every rank of the job", file,
                                     job.dp, stage, count));
    }
    return workers;
}

/// What an annotated range is to the schedule, where its name is none of Megatron's timers.
class Types {
  public:
    Types(ReplayJob& job, const PhaseRecords& records) : job_(job), records_(records) {}

    /// Index in job.types; nothing for what belongs to a task (communication inside a pass).
    std::optional<std::uint16_t> of(const PhaseRecord& record, int stage) {
        const auto name = records_.names.text(record.name);
        if (auto known = megatronOpType(name)) return index(std::move(*known));
        return record.task ? taskType(record, name) : commType(record, stage, name);
    }

  private:
    std::uint16_t index(OpType type) {
        const auto found = std::find_if(job_.types.begin(), job_.types.end(),
                                        [&](const OpType& known) { return known.name == type.name; });
        if (found != job_.types.end()) return static_cast<std::uint16_t>(found - job_.types.begin());
        if (job_.types.size() >= 1024) throw InputError("more than 1024 kinds of annotated tasks and communication");
        job_.types.push_back(std::move(type));
        return static_cast<std::uint16_t>(job_.types.size() - 1);
    }
    std::uint16_t timer(std::string_view name) { return index(*megatronOpType(name)); }
    std::uint16_t own(std::string_view name, OpRole role, SyncScope scope, int place = 0) {
        return index({std::string(name), std::string(name), role, scope, place});
    }

    std::uint16_t taskType(const PhaseRecord& record, std::string_view name) {
        if (record.phase == Phase::forward) return timer("forward-compute");
        if (record.phase == Phase::backward) return timer("backward-compute");
        if (record.phase == Phase::optimizer) return timer("optimizer");
        return own(name, OpRole::otherCompute, SyncScope::none);
    }

    std::optional<std::uint16_t> commType(const PhaseRecord& record, int stage, std::string_view name) {
        if (record.cls == OpClass::sendRecv && record.peer >= 0) return timer(transferName(record, stage));
        switch (record.phase) {
            case Phase::tensorComm:
            case Phase::contextComm:
            case Phase::expertComm:
                return std::nullopt;
            case Phase::paramGather:
                return own(name, OpRole::paramGather, SyncScope::replicas);
            default:
                break;
        }
        if (record.groupSize == job_.dp && job_.pp > 1) return own(name, OpRole::gradReduce, SyncScope::replicas);
        if (record.groupSize == std::int64_t{job_.dp} * job_.pp) {
            return own(name, OpRole::stepEnd, SyncScope::all, kClipPlace);
        }
        return own(name, OpRole::stepEnd, SyncScope::alone, kClipPlace);
    }

    std::string_view transferName(const PhaseRecord& record, int stage) const {
        bool forward = record.phase == Phase::forward;
        if (!forward && record.phase != Phase::backward) {  // the pass is not told; the peer's stage tells
            const auto peer = records_.stageOfRank.find(record.peer);
            const bool up = peer != records_.stageOfRank.end() && peer->second > stage;
            forward = up != record.receives;
        }
        if (forward) return record.receives ? "forward-recv" : "forward-send";
        return record.receives ? "backward-recv" : "backward-send";
    }

    ReplayJob& job_;
    const PhaseRecords& records_;
};

/// Whether one thread of every rank ran all its tasks and communication.
bool oneThreadEach(const PhaseRecords& records) {
    std::map<std::int64_t, std::int64_t> threads;
    return std::all_of(records.rows.begin(), records.rows.end(), [&](const PhaseRecord& row) {
        return threads.emplace(row.rank, row.thread).first->second == row.thread;
    });
}

/// Whether at least one send in a hundred was over before its receive began: they do not wait for the receiver.
bool sendsAreBuffered(const ReplayJob& job) {
    std::map<std::tuple<int, int, bool, int, int>, std::int64_t> sendEnds;  // step, dp, forward, sender, micro-batch
    for (const auto& op : job.ops) {
        const auto role = job.types[op.type].role;
        if (role != OpRole::forwardSend && role != OpRole::backwardSend) continue;
        sendEnds[{op.step, op.dp, role == OpRole::forwardSend, op.stage, op.microBatch}] = op.start + op.duration;
    }
    std::int64_t pairs = 0, early = 0;
    for (const auto& op : job.ops) {
        const auto role = job.types[op.type].role;
        if (role != OpRole::forwardRecv && role != OpRole::backwardRecv) continue;
        const bool forward = role == OpRole::forwardRecv;
        const int sender = (op.stage + (forward ? job.pp - 1 : 1)) % job.pp;
        const auto send = sendEnds.find({op.step, op.dp, forward, sender, op.microBatch});
        if (send == sendEnds.end()) continue;
        ++pairs;
        if (send->second <= op.start) ++early;
    }
    return early > 0 && early * 100 >= pairs;
}

/// Recorded step numbers without the first ones.
std::vector<std::int64_t> keptSteps(const PhaseRecords& records, int skip, const std::string& file) {
    std::set<std::int64_t> numbers;
    for (const auto& row : records.rows) {
        if (row.step >= 0) numbers.insert(row.step);
    }
    if (numbers.empty()) throw InputError(fmt::format("{}: no pass has a step number (docs/annotations.md)", file));
    if (std::ssize(numbers) <= skip) {
        throw InputError(fmt::format("{}: has {} steps; --skip-steps {} leaves none", file, numbers.size(), skip));
    }
    return {std::next(numbers.begin(), skip), numbers.end()};
}

}  // namespace

ReplayInput readReplayInput(const Profile& profile, int skipSteps) {
    const std::string file = profile.file().string();
    const PhaseRecords records = readPhaseRecords(profile);
    ReplayInput out;
    ReplayJob& job = out.job;
    const auto workers = placeRanks(records, file, job);
    job.steps = keptSteps(records, skipSteps, file);
    job.sequential = oneThreadEach(records);
    Types types(job, records);
    job.ops.reserve(records.rows.size());
    for (const auto& row : records.rows) {
        const auto worker = workers.find(row.rank);
        const auto step = std::lower_bound(job.steps.begin(), job.steps.end(), row.step);
        if (worker == workers.end() || step == job.steps.end() || *step != row.step) continue;
        const auto type = types.of(row, worker->second.stage);
        if (!type) continue;
        ReplayOp op;
        op.type = *type;
        op.dp = worker->second.dp;
        op.stage = worker->second.stage;
        op.chunk = static_cast<std::int32_t>(row.chunk);
        op.microBatch = static_cast<std::int32_t>(row.microBatch);
        op.step = static_cast<std::int32_t>(step - job.steps.begin());
        op.start = row.start;
        op.duration = row.duration;
        op.tokens = row.tokens;
        op.pairs = row.pairs;
        job.chunks = std::max(job.chunks, op.chunk + 1);
        job.ops.push_back(op);
    }
    if (job.chunks > kMostChunks) {
        throw InputError(fmt::format("{}: a pass is of model chunk {}; damaged", file, job.chunks - 1));
    }
    job.bufferedSends = sendsAreBuffered(job);
    if (records.open > 0) {
        out.warnings.push_back(
            fmt::format("{} range(s) were open when the recording ended and are left out", records.open));
    }
    if (records.bad > 0) {
        out.warnings.push_back(
            fmt::format("{} range(s) have a payload that docs/annotations.md does not allow", records.bad));
    }
    return out;
}

}  // namespace orrery
