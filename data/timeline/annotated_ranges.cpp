#include "data/timeline/annotated_ranges.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace orrery {
namespace {

/// An enumeration value from a file; nothing when it is not one of ours.
template <typename Enum>
std::optional<Enum> enumerator(std::optional<std::int64_t> value, Enum last) {
    if (!value || *value < 0 || *value > static_cast<std::int64_t>(last)) return std::nullopt;
    return static_cast<Enum>(*value);
}

template <typename Int>
Int narrow(std::optional<std::int64_t> value) {
    if (!value || *value < 0 || *value > std::numeric_limits<Int>::max()) return Int{-1};
    return static_cast<Int>(*value);
}

Phase phaseOf(Pass pass) {
    switch (pass) {
        case Pass::forward:
            return Phase::forward;
        case Pass::backwardInput:
        case Pass::backwardWeight:
            return Phase::backward;
        case Pass::optimizer:
            return Phase::optimizer;
    }
    return Phase::other;
}

/// Whether `inner` starts inside `outer`.
bool within(const Span& outer, const Span& inner) {
    return inner.start >= outer.start && inner.start < outer.end();
}

/// Level of a range: by its payload schema, or by its category when it carries none of ours.
std::string_view levelOf(const RangeView& range) {
    constexpr std::string_view kPrefix = "orrery.";
    if (!range.schema.starts_with(kPrefix)) return range.domain == "orrery" ? range.category : std::string_view{};
    const auto schema = range.schema.substr(kPrefix.size());
    return schema == "gemm" || schema == "attention" || schema == "memory" ? std::string_view("op") : schema;
}

bool isReceive(std::string_view name) {
    return name.find("recv") != std::string_view::npos || name.find("receive") != std::string_view::npos;
}

}  // namespace

std::uint32_t AnnotatedRanges::track(const RankAxis& axis, Lane lane) {
    auto& tracks = ranks_[axis.rank].tracks;
    if (const auto found = tracks.find(lane); found != tracks.end()) return found->second;
    Track made;
    made.rank = axis.rank;
    made.lane = lane;
    made.label = std::string(name(lane));
    return tracks[lane] = out_.addTrack(std::move(made));
}

void AnnotatedRanges::add(const RangeView& range) {
    const auto level = levelOf(range);
    const bool known = level == "step" || level == "task" || level == "op" || level == "comm";
    const auto axis = axes_.find(range.rankId);
    if (!known || axis == axes_.end()) return;  // layers add nothing to tasks and operators
    if (!range.duration) {
        ++open_;
        return;
    }
    if (*range.duration < 0) {
        ++bad_;
        return;
    }
    any_ = true;
    Span span;
    span.start = range.start + axis->second.shift;
    span.duration = *range.duration;
    span.name = out_.names.intern(range.name);
    auto& enclosing = ranks_[axis->second.rank].threads[range.thread];
    if (level == "step") {
        const auto step = narrow<std::int32_t>(range.integer("step"));
        if (step < 0) {
            ++bad_;
            return;
        }
        span.step = step;
        span.phase = Phase::step;
        span.track = track(axis->second, Lane::step);
        out_.add(span);
        enclosing.step = span;
        return;
    }
    if (within(enclosing.step, span)) span.step = enclosing.step.step;
    if (level == "task") return addTask(range, span, axis->second);
    if (within(enclosing.task, span)) {
        span.microBatch = enclosing.task.microBatch;
        span.stage = enclosing.task.stage;
        if (span.step < 0) span.step = enclosing.task.step;
    }
    if (level == "op") return addOp(range, span, axis->second);
    addComm(range, span, axis->second);
}

void AnnotatedRanges::addTask(const RangeView& range, Span span, const RankAxis& axis) {
    const auto phase = enumerator(range.integer("phase"), Phase::other);
    if (!phase) ++bad_;
    span.phase = phase.value_or(Phase::other);
    if (const auto step = range.integer("step")) span.step = narrow<std::int32_t>(step);
    span.microBatch = narrow<std::int32_t>(range.integer("micro_batch"));
    span.stage = narrow<std::int16_t>(range.integer("stage"));
    span.track = track(axis, Lane::task);
    auto& state = ranks_[axis.rank];
    if (state.stage < 0) state.stage = span.stage;
    state.threads[range.thread].task = span;
    out_.add(span);
}

void AnnotatedRanges::addOp(const RangeView& range, Span span, const RankAxis& axis) {
    if (range.schema == "orrery.gemm") {
        span.cls = range.integer("groups").value_or(1) > 1 ? OpClass::groupedGemm : OpClass::gemm;
    } else if (range.schema == "orrery.attention") {
        span.cls = OpClass::attention;
    } else {
        span.cls = enumerator(range.integer("class"), OpClass::other).value_or(OpClass::other);
    }
    if (const auto pass = enumerator(range.integer("pass"), Pass::optimizer)) span.phase = phaseOf(*pass);
    span.track = track(axis, Lane::op);
    out_.add(span);
}

void AnnotatedRanges::addComm(const RangeView& range, Span span, const RankAxis& axis) {
    CommRecord record;
    record.rank = axis.rank;
    record.cls = enumerator(range.integer("class"), OpClass::other).value_or(OpClass::other);
    record.groupSize = range.integer("group_size").value_or(0);
    record.peer = range.integer("peer").value_or(-1);
    record.sequence = range.integer("sequence").value_or(-1);
    record.microBatch = range.integer("micro_batch").value_or(-1);
    record.step = range.integer("step").value_or(span.step);
    record.phase = enumerator(range.integer("phase"), Phase::other).value_or(Phase::other);
    record.start = span.start;
    record.duration = span.duration;
    if (record.peer >= 0) record.end = isReceive(range.name) ? CommEnd::receive : CommEnd::send;

    span.cls = record.cls;
    // A transfer says which pass it serves; what it is to the rank is communication between stages.
    span.phase = record.cls == OpClass::sendRecv ? Phase::pipelineComm : record.phase;
    if (record.microBatch >= 0) span.microBatch = narrow<std::int32_t>(record.microBatch);
    if (record.step >= 0) span.step = narrow<std::int32_t>(record.step);
    span.track = track(axis, Lane::comm);
    out_.add(span);
    comm_.push_back(record);
}

void AnnotatedRanges::finish(int worldSize) {
    for (auto& [rank, state] : ranks_) {
        for (const auto& [lane, id] : state.tracks) out_.tracks[id].stage = state.stage;
    }
    for (auto& record : comm_) record.stage = ranks_[record.rank].stage;
    const auto waits = commWaits(comm_, worldSize);
    for (std::size_t row = 0; row < comm_.size(); ++row) {
        if (waits[row] == 0) continue;
        const auto& record = comm_[row];
        Span wait;
        wait.track = track({record.rank, 0}, Lane::task);
        wait.start = record.start;
        wait.duration = waits[row];
        wait.phase = Phase::wait;
        wait.name = out_.names.intern(record.end == CommEnd::collective ? "wait: peer" : "wait");
        wait.microBatch = narrow<std::int32_t>(record.microBatch);
        wait.step = narrow<std::int32_t>(record.step);
        wait.stage = static_cast<std::int16_t>(record.stage);
        out_.add(wait);
    }
}

}  // namespace orrery
