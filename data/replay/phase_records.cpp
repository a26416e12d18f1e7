#include "data/replay/phase_records.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr std::int64_t kLargestTime = std::int64_t{1} << 61;  ///< ends and differences fit 64 bits
constexpr std::int64_t kLargestNumber = std::numeric_limits<std::int32_t>::max() - 1;

/// Rank numbers and clock offsets by row id.
std::map<std::int64_t, RankInfo> ranksOf(const Profile& profile) {
    std::map<std::int64_t, RankInfo> out;
    std::map<std::int64_t, std::string> taken;
    for (const auto& rank : profile.ranks()) {
        if (!rank.rank || *rank.rank < 0) continue;  // complained of when it has passes
        const auto [found, isNew] = taken.emplace(*rank.rank, rank.file);
        if (!isNew) {
            throw InputError(fmt::format("{}: holds more than one job: both {} and {} have rank {}; import them apart",
                                         profile.file().string(), found->second, rank.file, *rank.rank));
        }
        out.emplace(rank.id, rank);
    }
    return out;
}

template <typename Enum>
std::optional<Enum> enumerator(std::optional<std::int64_t> value, Enum last) {
    if (!value || *value < 0 || *value > static_cast<std::int64_t>(last)) return std::nullopt;
    return static_cast<Enum>(*value);
}

bool inside(std::int64_t value) {
    return value >= -1 && value <= kLargestNumber;
}

double work(const RangeView& range, const char* field) {
    const auto real = range.real(field);
    if (real) return std::max(0.0, *real);
    return static_cast<double>(std::max<std::int64_t>(0, range.integer(field).value_or(0)));
}

/// The record of a range that has a payload of a task or a communication; nothing when it is out of range.
std::optional<PhaseRecord> recordOf(const RangeView& range, bool task) {
    PhaseRecord record;
    record.task = task;
    record.thread = range.thread;
    record.start = range.start;
    record.duration = *range.duration;
    record.step = range.integer("step").value_or(-1);
    record.microBatch = range.integer("micro_batch").value_or(-1);
    record.chunk = range.integer("chunk").value_or(-1);
    const auto phase = enumerator(range.integer("phase"), Phase::other);
    record.phase = phase.value_or(Phase::other);
    if (task) {
        record.tokens = work(range, "tokens");
        record.pairs = work(range, "pairs");
    } else {
        record.cls = enumerator(range.integer("class"), OpClass::other).value_or(OpClass::other);
        record.groupSize = range.integer("group_size").value_or(0);
        record.peer = range.integer("peer").value_or(-1);
        record.receives =
            range.name.find("recv") != std::string_view::npos || range.name.find("receive") != std::string_view::npos;
    }
    const bool good = phase && inside(record.step) && inside(record.microBatch) && inside(record.chunk) &&
                      std::abs(record.start) < kLargestTime && record.duration < kLargestTime;
    return good ? std::optional(record) : std::nullopt;
}

}  // namespace

PhaseRecords readPhaseRecords(const Profile& profile) {
    const auto ranks = ranksOf(profile);
    PhaseRecords out;
    const auto fail = [&](const std::string& what) {
        throw InputError(fmt::format("{}: {}", profile.file().string(), what));
    };
    profile.forEachRangeWithPayload([&](const RangeView& range) {
        const bool task = range.schema == "orrery.task";
        if (!task && range.schema != "orrery.comm") return;
        if (!range.duration) {
            ++out.open;
            return;
        }
        const auto rank = ranks.find(range.rankId);
        if (rank == ranks.end()) fail("a process with annotated ranges does not say its rank; record it with its rank");
        if (*range.duration < 0) {
            fail(fmt::format("'{}' of rank {} ends {} ns before it starts; record it again", range.name,
                             *rank->second.rank, -*range.duration));
        }
        auto record = recordOf(range, task);
        if (!record) {
            ++out.bad;
            return;
        }
        record->rank = *rank->second.rank;
        record->start += rank->second.clockOffset;
        record->name = out.names.intern(range.name);
        if (task && (record->phase == Phase::forward || record->phase == Phase::backward)) {
            const auto stage = range.integer("stage").value_or(-1);
            if (stage < 0 || stage > kLargestNumber) fail(fmt::format("a pass of rank {} has no stage", record->rank));
            const auto [known, isNew] = out.stageOfRank.emplace(record->rank, static_cast<int>(stage));
            if (!isNew && known->second != stage) {
                fail(
                    fmt::format("rank {} has passes of stages {} and {}; replay takes one stage a rank, its model "
                                "chunks as 'chunk'",
                                record->rank, known->second, stage));
            }
        }
        out.rows.push_back(*record);
    });
    if (out.stageOfRank.empty()) {
        fail(
            fmt::format("has no forward and backward passes of a pipeline{}; record an annotated job "
                        "(docs/annotations.md) or import a timeline of Megatron's timers",
                        out.bad > 0 ? fmt::format(" ({} ranges have a payload out of range)", out.bad) : ""));
    }
    return out;
}

}  // namespace orrery
