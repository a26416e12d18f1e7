#include "report/trace/lanes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace orrery {
namespace {

/// A row while it is filled: the ends of the spans that are still open, innermost last.
struct Filling {
    LaneRow row;
    std::vector<std::int64_t> open;

    /// Whether the span nests into or follows what the row holds.
    bool accepts(const Span& span) {
        while (!open.empty() && open.back() <= span.start) open.pop_back();
        return open.empty() || span.end() <= open.back();
    }
    void add(const Span& span, std::size_t index) {
        open.push_back(span.end());
        row.spans.push_back(span);
        row.rows.push_back(index);
    }
};

std::string labelOf(const Track& track, int overflow) {
    const std::string own = track.label.empty() ? std::string(name(track.lane)) : track.label;
    return overflow == 0 ? own : fmt::format("{} ({})", own, overflow + 1);
}

using TaskKey = std::tuple<int, std::size_t, std::int32_t, std::int32_t, Phase>;  // stage, position, step, mb, phase

}  // namespace

std::vector<LaneRow> lanesOf(const Timeline& timeline) {
    std::vector<std::size_t> order(timeline.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const Span x = timeline.span(a);
        const Span y = timeline.span(b);
        return std::tuple(x.track, x.start, -x.duration) < std::tuple(y.track, y.start, -y.duration);
    });
    std::vector<LaneRow> lanes;
    std::vector<Filling> rows;
    const auto flush = [&] {
        for (auto& filling : rows) lanes.push_back(std::move(filling.row));
        rows.clear();
    };
    for (const auto index : order) {
        const Span span = timeline.span(index);
        if (!rows.empty() && rows.front().row.track != span.track) flush();
        auto free = std::find_if(rows.begin(), rows.end(), [&](Filling& filling) { return filling.accepts(span); });
        if (free == rows.end()) {
            Filling made;
            made.row.track = span.track;
            made.row.overflow = static_cast<int>(rows.size());
            made.row.label = labelOf(timeline.tracks[span.track], made.row.overflow);
            rows.push_back(std::move(made));
            free = rows.end() - 1;
        }
        free->add(span, index);
    }
    flush();
    std::stable_sort(lanes.begin(), lanes.end(), [&](const LaneRow& a, const LaneRow& b) {
        const Track& x = timeline.tracks[a.track];
        const Track& y = timeline.tracks[b.track];
        return std::tie(x.rank, x.lane, x.device, x.stream, a.overflow) <
               std::tie(y.rank, y.lane, y.device, y.stream, b.overflow);
    });
    return lanes;
}

std::vector<Flow> pipelineFlows(const Timeline& timeline) {
    std::map<int, std::vector<int>> ranksOfStage;
    std::map<int, int> stageOfRank;
    for (const auto& track : timeline.tracks) {
        if (track.lane == Lane::task && track.stage >= 0) stageOfRank.emplace(track.rank, track.stage);
    }
    for (const auto& [rank, stage] : stageOfRank) ranksOfStage[stage].push_back(rank);
    for (const auto& [stage, ranks] : ranksOfStage) {
        if (ranks.size() != ranksOfStage.begin()->second.size()) return {};
    }
    const auto positionOf = [&](int rank, int stage) {
        const auto& ranks = ranksOfStage[stage];
        return static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
    };
    std::map<TaskKey, std::size_t> tasks;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const Track& track = timeline.tracks[span.track];
        const bool passes = span.phase == Phase::forward || span.phase == Phase::backward;
        if (track.lane != Lane::task || track.stage < 0 || span.microBatch < 0 || !passes) continue;
        tasks.emplace(TaskKey(track.stage, positionOf(track.rank, track.stage), span.step, span.microBatch, span.phase),
                      row);
    }
    std::vector<Flow> flows;
    for (const auto& [key, row] : tasks) {
        const auto& [stage, position, step, microBatch, phase] = key;
        const int next = phase == Phase::forward ? stage + 1 : stage - 1;
        const auto found = tasks.find(TaskKey(next, position, step, microBatch, phase));
        if (found != tasks.end()) flows.push_back({row, found->second});
    }
    return flows;
}

}  // namespace orrery
