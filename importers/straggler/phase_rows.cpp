#include "importers/straggler/phase_rows.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "model/timeline/timeline.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {
namespace {

/// "PP rank 3, TP rank 0, compute" -> 3.
std::optional<std::int64_t> stageOfLane(std::string_view name) {
    constexpr std::string_view kPrefix = "PP rank ";
    if (!name.starts_with(kPrefix)) return std::nullopt;
    std::int64_t stage = 0;
    const auto error = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), stage).ec;
    return error == std::errc{} && stage >= 0 ? std::optional(stage) : std::nullopt;
}

bool isTask(std::string_view name) {
    return name.ends_with("-compute") || name == "optimizer" || name == "gc";
}

Phase taskPhase(std::string_view name) {
    if (name.starts_with("forward")) return Phase::forward;
    if (name.starts_with("backward")) return Phase::backward;
    return name == "optimizer" ? Phase::optimizer : Phase::other;
}

OpClass commClass(std::string_view name) {
    if (name.ends_with("-send") || name.ends_with("-recv")) return OpClass::sendRecv;
    if (name.ends_with("all-gather")) return OpClass::allGather;
    return name.ends_with("reduce-scatter") ? OpClass::reduceScatter : OpClass::allReduce;
}

Phase commPhase(std::string_view name) {
    if (name.starts_with("forward-")) return Phase::forward;
    if (name.starts_with("backward-")) return Phase::backward;
    return name == "params-all-gather" ? Phase::paramGather : Phase::gradReduce;
}

std::int64_t asField(Phase phase) {
    return static_cast<std::int64_t>(phase);
}

std::vector<PayloadField> fields(std::initializer_list<const char*> names) {
    std::vector<PayloadField> out;
    for (const auto* name : names) out.push_back({name, "int64"});
    return out;
}

}  // namespace

PhaseRows::PhaseRows(const PhaseEvents& events, std::string file, std::optional<JobMeta> meta)
    : events_(events), file_(std::move(file)) {
    for (const auto& lane : events.lanes) {
        if (const auto stage = stageOfLane(lane.name)) stages_[{lane.pid, lane.tid}] = *stage;
    }
    std::set<WorkerKey> workers;
    for (const auto& event : events.phases) {
        const auto stage = stageOf(event);
        dps_.emplace(event.pid, 0);
        pp_ = std::max(pp_, stage + 1);
        workers.emplace(stage, event.pid);
    }
    if (workers.empty()) throw InputError(fmt::format("{}: has no phases; export a timeline with steps", file_));
    for (auto& [pid, dp] : dps_) dp = dp_++;
    if (meta) {
        tp_ = meta->tp;
        if (meta->pp != pp_ || meta->dp != dp_) {
            throw InputError(
                fmt::format("{}: has DP {} and PP {}, its meta file says DP {} and PP {}; give the pair that "
                            "belongs together",
                            file_, dp_, pp_, meta->dp, meta->pp));
        }
    }
    if (static_cast<std::int64_t>(workers.size()) != dp_ * pp_) {
        throw InputError(fmt::format("{}: {} of {} workers (DP {} x PP {}) have phases; export all of them", file_,
                                     workers.size(), dp_ * pp_, dp_, pp_));
    }
    worldSize_ = meta ? meta->worldSize : dp_ * pp_;
}

std::int64_t PhaseRows::stageOf(const PhaseEvent& event) const {
    const auto found = stages_.find({event.pid, event.tid});
    if (found != stages_.end()) return found->second;
    throw InputError(
        fmt::format("{}: lane {} of process {} has phases but no name such as 'PP rank 0, TP rank 0, "
                    "compute'; export the timeline with its thread names",
                    file_, event.tid, event.pid));
}

/// One representative rank of each TP group, in Megatron's order: TP innermost, stages outermost.
std::int64_t PhaseRows::globalRank(std::int64_t stage, std::int64_t dp) const {
    return (stage * dp_ + dp) * tp_;
}

PayloadRow PhaseRows::taskPayload(const PhaseEvent& event, std::int64_t stage) const {
    PayloadRow row;
    row.values = {event.step, asField(taskPhase(event.name)), event.microBatch, stage, event.chunk};
    return row;
}

PayloadRow PhaseRows::commPayload(const PhaseEvent& event, std::int64_t stage) const {
    const OpClass cls = commClass(event.name);
    std::int64_t group = 1, peer = -1;
    if (cls == OpClass::sendRecv) {
        const bool next = event.name == "forward-send" || event.name == "backward-recv";
        group = 2;
        peer = globalRank((stage + (next ? 1 : pp_ - 1)) % pp_, dps_.at(event.pid));
    } else if (event.name == "params-all-gather" || event.name == "grads-reduce-scatter" ||
               event.name == "separate-grads-all-reduce") {
        group = dp_;
    } else if (event.name == "layernorm-grads-all-reduce") {
        group = tp_;
    } else if (event.name == "embedding-grads-all-reduce") {
        group = std::min<std::int64_t>(pp_, 2);
    } else {
        group = worldSize_;
    }
    PayloadRow row;
    row.values = {
        static_cast<std::int64_t>(cls), PayloadValue{}, group, peer, event.sequence, event.microBatch, event.step,
        asField(commPhase(event.name)), event.chunk};
    return row;
}

void PhaseRows::write(ProfileWriter& out) const {
    const auto domain = out.string("megatron");
    const auto category = std::map<bool, std::int64_t>{{true, out.string("task")}, {false, out.string("comm")}};
    const auto stepCategory = out.string("step");
    const auto stepName = out.string("step");
    const auto stepSchema = out.addPayloadSchema(domain, "orrery.step", fields({"step"}));
    const auto taskSchema =
        out.addPayloadSchema(domain, "orrery.task", fields({"step", "phase", "micro_batch", "stage", "chunk"}));
    const auto commSchema = out.addPayloadSchema(
        domain, "orrery.comm",
        fields({"class", "bytes", "group_size", "peer", "sequence", "micro_batch", "step", "phase", "chunk"}));
    std::map<WorkerKey, std::int64_t> ranks;
    for (std::int64_t stage = 0; stage < pp_; ++stage) {
        for (std::int64_t dp = 0; dp < dp_; ++dp) {
            RankRow rank;
            rank.file = std::filesystem::path(file_).filename().string();
            rank.source = "straggler";
            rank.rank = globalRank(stage, dp);
            rank.worldSize = worldSize_;
            ranks[{stage, dp}] = out.addRank(rank);
        }
    }
    for (const auto& lane : events_.lanes) {
        const auto stage = stages_.find({lane.pid, lane.tid});
        const auto dp = dps_.find(lane.pid);
        if (stage == stages_.end() || dp == dps_.end() || stage->second >= pp_) continue;
        out.addThread(ranks.at({stage->second, dp->second}), lane.tid, lane.name);
    }
    struct StepSpan {
        std::int64_t thread = 0, begin = std::numeric_limits<std::int64_t>::max(),
                     end = std::numeric_limits<std::int64_t>::min();
    };
    std::map<std::pair<std::int64_t, std::int64_t>, StepSpan> steps;  // by rank row and step
    for (const auto& event : events_.phases) {
        const auto stage = stageOf(event);
        RangeRow range;
        range.rankId = ranks.at({stage, dps_.at(event.pid)});
        range.thread = event.tid;
        range.start = event.start;
        range.duration = event.duration;
        range.domainId = domain;
        range.categoryId = category.at(isTask(event.name));
        range.nameId = out.string(event.name);
        PayloadRow payload = isTask(event.name) ? taskPayload(event, stage) : commPayload(event, stage);
        payload.schemaId = isTask(event.name) ? taskSchema : commSchema;
        payload.rangeId = out.addRange(range);
        out.addPayload(payload);
        auto& step = steps[{range.rankId, event.step}];
        step.begin = std::min(step.begin, event.start);
        step.end = std::max(step.end, event.start + event.duration);
        if (isTask(event.name)) step.thread = event.tid;
    }
    for (const auto& [key, span] : steps) {
        RangeRow range;
        range.rankId = key.first;
        range.thread = span.thread;
        range.start = span.begin;
        range.duration = span.end - span.begin;
        range.domainId = domain;
        range.categoryId = stepCategory;
        range.nameId = stepName;
        PayloadRow payload;
        payload.rangeId = out.addRange(range);
        payload.schemaId = stepSchema;
        payload.values = {key.second};
        out.addPayload(payload);
        out.addStep({key.first, key.second, span.begin, span.end - span.begin});
    }
}

}  // namespace orrery::importers
