#include "importers/straggler/job_layout.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery::importers {
namespace {

constexpr std::int64_t kLargestStage = 100'000;

/// The number behind `prefix` in a lane's name.
std::optional<std::int64_t> numberAfter(std::string_view name, std::string_view prefix) {
    const auto at = name.find(prefix);
    if (at == std::string_view::npos) return std::nullopt;
    std::int64_t number = 0;
    const auto error = std::from_chars(name.data() + at + prefix.size(), name.data() + name.size(), number).ec;
    return error == std::errc{} && number >= 0 && number < kLargestStage ? std::optional(number) : std::nullopt;
}

}  // namespace

/// "PP rank 3, TP rank 0, compute".
std::optional<JobLayout::Lane> JobLayout::laneOf(std::string_view name) {
    const auto stage = numberAfter(name, "PP rank ");
    if (!stage) return std::nullopt;
    return Lane{*stage, numberAfter(name, "TP rank ").value_or(0)};
}

JobLayout::JobLayout(const PhaseEvents& events, const std::string& file, const std::optional<JobMeta>& meta) {
    for (const auto& lane : events.lanes) {
        if (const auto known = laneOf(lane.name)) lanes_[{lane.pid, lane.tid}] = *known;
    }
    std::set<std::pair<std::int64_t, std::int64_t>> workers;  // (pid, stage)
    std::int64_t furtherRanks = 0;
    for (const auto& event : events.phases) {
        const auto lane = lanes_.find({event.pid, event.tid});
        if (lane == lanes_.end()) {
            throw InputError(
                fmt::format("{}: lane {} of process {} has phases but no name such as 'PP rank 0, TP rank "
                            "0, compute'; export the timeline with its thread names",
                            file, event.tid, event.pid));
        }
        dps_.emplace(event.pid, 0);
        pp_ = std::max(pp_, lane->second.stage + 1);
        if (lane->second.tpRank == 0) {
            workers.emplace(event.pid, lane->second.stage);
        } else {
            ++furtherRanks;
        }
    }
    if (events.phases.empty()) throw InputError(fmt::format("{}: has no phases; export a timeline with steps", file));
    for (auto& [pid, dp] : dps_) dp = dp_++;
    if (static_cast<std::int64_t>(workers.size()) != dp_ * pp_) {
        throw InputError(
            fmt::format("{}: {} of {} workers (DP {} x PP {}) have phases of TP rank 0; export all of them", file,
                        workers.size(), dp_ * pp_, dp_, pp_));
    }
    worldSize_ = dp_ * pp_;
    if (meta) {
        gpus_ = meta->gpus;
        worldSize_ = std::max(meta->worldSize, dp_ * pp_ * gpus_);
        if (meta->pp != pp_ || meta->dp != dp_) {
            warnings_.push_back({fmt::format("has DP {} and PP {}, its meta file says DP {} and PP {}; taken as it is",
                                             dp_, pp_, meta->dp, meta->pp)});
        }
    } else {
        warnings_.push_back({"no meta-NAME.yaml beside it (for timeline-NAME.json): taken as TP 1", 1, true});
    }
    if (furtherRanks > 0) {
        warnings_.push_back(
            {fmt::format("{} phases of further TP ranks are left out; the first stands for its group", furtherRanks),
             furtherRanks, true});
    }
}

std::optional<WorkerPlace> JobLayout::placeOf(std::int64_t pid, std::int64_t tid) const {
    const auto lane = lanes_.find({pid, tid});
    const auto dp = dps_.find(pid);
    if (lane == lanes_.end() || dp == dps_.end() || lane->second.tpRank != 0 || lane->second.stage >= pp_) {
        return std::nullopt;
    }
    return WorkerPlace{lane->second.stage, dp->second};
}

}  // namespace orrery::importers
