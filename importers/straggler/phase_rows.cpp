#include "importers/straggler/phase_rows.hpp"

#include <algorithm>
#include <optional>

#include "model/timeline/timeline.hpp"

namespace orrery::importers {
namespace {

Phase taskPhase(const OpType& type) {
    if (type.role == OpRole::forward) return Phase::forward;
    if (type.role == OpRole::backward) return Phase::backward;
    return type.name == "optimizer" ? Phase::optimizer : Phase::other;
}

OpClass commClass(const OpType& type) {
    if (type.scope == SyncScope::pair) return OpClass::sendRecv;
    if (type.role == OpRole::paramGather) return OpClass::allGather;
    return type.role == OpRole::gradReduce ? OpClass::reduceScatter : OpClass::allReduce;
}

Phase commPhase(const OpType& type) {
    if (type.role == OpRole::forwardSend || type.role == OpRole::forwardRecv) return Phase::forward;
    if (type.scope == SyncScope::pair) return Phase::backward;
    return type.role == OpRole::paramGather ? Phase::paramGather : Phase::gradReduce;
}

std::int64_t groupSize(SyncScope scope, const JobLayout& layout) {
    switch (scope) {
        case SyncScope::pair:
            return 2;
        case SyncScope::replicas:
            return layout.dp();
        case SyncScope::endStages:
            return std::min<std::int64_t>(layout.pp(), 2);
        case SyncScope::all:
            return layout.worldSize();
        default:
            return layout.gpusPerWorker();
    }
}

std::vector<PayloadField> fields(std::initializer_list<const char*> names) {
    std::vector<PayloadField> out;
    for (const auto* name : names) out.push_back({name, "int64"});
    return out;
}

}  // namespace

PhaseRows::PhaseRows(ProfileWriter& out, const JobLayout& layout, const std::string& file)
    : out_(out), layout_(layout) {
    domain_ = out.string("megatron");
    stepSchema_ = out.addPayloadSchema(domain_, "orrery.step", fields({"step"}));
    taskSchema_ =
        out.addPayloadSchema(domain_, "orrery.task", fields({"step", "phase", "micro_batch", "stage", "chunk"}));
    commSchema_ = out.addPayloadSchema(
        domain_, "orrery.comm",
        fields({"class", "bytes", "group_size", "peer", "sequence", "micro_batch", "step", "phase", "chunk"}));
    for (std::int64_t stage = 0; stage < layout.pp(); ++stage) {
        for (std::int64_t dp = 0; dp < layout.dp(); ++dp) {
            RankRow rank;
            rank.file = file;
            rank.source = "straggler";
            rank.rank = layout.globalRank({stage, dp});
            rank.worldSize = layout.worldSize();
            ranks_[{stage, dp}] = out.addRank(rank);
        }
    }
}

void PhaseRows::addLane(const LaneName& lane) {
    if (const auto place = layout_.placeOf(lane.pid, lane.tid)) out_.addThread(ranks_.at(*place), lane.tid, lane.name);
}

bool PhaseRows::add(const PhaseEvent& event) {
    const auto place = layout_.placeOf(event.pid, event.tid);
    if (!place) return false;
    auto known = types_.find(event.name);
    if (known == types_.end()) {
        const auto type = megatronOpType(event.name);
        if (!type) return false;
        known = types_.emplace(event.name, *type).first;
    }
    const OpType& type = known->second;
    const auto rankId = ranks_.at(*place);
    const bool task = isCompute(type);
    PayloadRow payload = task ? taskPayload(event, type, *place) : commPayload(event, type, *place);
    payload.schemaId = task ? taskSchema_ : commSchema_;
    payload.rangeId = addRange(rankId, event.tid, event.start, event.duration, task ? "task" : "comm", event.name);
    out_.addPayload(payload);

    const auto [span, isNew] =
        steps_.try_emplace({rankId, event.step}, StepSpan{event.tid, event.start, event.start + event.duration});
    span->second.begin = std::min(span->second.begin, event.start);
    span->second.end = std::max(span->second.end, event.start + event.duration);
    if (task) span->second.thread = event.tid;
    return true;
}

void PhaseRows::finish() {
    for (const auto& [key, span] : steps_) {
        PayloadRow payload;
        payload.rangeId = addRange(key.first, span.thread, span.begin, span.end - span.begin, "step", "step");
        payload.schemaId = stepSchema_;
        payload.values = {key.second};
        out_.addPayload(payload);
        out_.addStep({key.first, key.second, span.begin, span.end - span.begin});
    }
}

std::int64_t PhaseRows::addRange(std::int64_t rankId, std::int64_t thread, std::int64_t start, std::int64_t duration,
                                 std::string_view category, std::string_view name) {
    RangeRow range;
    range.rankId = rankId;
    range.thread = thread;
    range.start = start;
    range.duration = duration;
    range.domainId = domain_;
    range.categoryId = out_.string(category);
    range.nameId = out_.string(name);
    return out_.addRange(range);
}

PayloadRow PhaseRows::taskPayload(const PhaseEvent& event, const OpType& type, WorkerPlace place) const {
    PayloadRow row;
    for (const std::int64_t value :
         {event.step, static_cast<std::int64_t>(taskPhase(type)), event.microBatch, place.stage, event.chunk}) {
        row.values.emplace_back(value);
    }
    return row;
}

PayloadRow PhaseRows::commPayload(const PhaseEvent& event, const OpType& type, WorkerPlace place) const {
    std::int64_t peer = -1;
    if (type.scope == SyncScope::pair) {
        const bool next = type.role == OpRole::forwardSend || type.role == OpRole::backwardRecv;
        const auto stage = (place.stage + (next ? 1 : layout_.pp() - 1)) % layout_.pp();
        peer = layout_.globalRank({stage, place.dp});
    }
    PayloadRow row;
    row.values.emplace_back(static_cast<std::int64_t>(commClass(type)));
    row.values.emplace_back();  // bytes: not recorded
    for (const std::int64_t value : {groupSize(type.scope, layout_), peer, event.sequence, event.microBatch, event.step,
                                     static_cast<std::int64_t>(commPhase(type)), event.chunk}) {
        row.values.emplace_back(value);
    }
    return row;
}

}  // namespace orrery::importers
