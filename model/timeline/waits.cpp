#include "model/timeline/waits.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/timeline/step_window.hpp"

namespace orrery {
namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;

std::uint32_t taskTrackOf(Timeline& timeline, int rank) {
    int stage = -1;
    for (std::uint32_t id = 0; id < timeline.tracks.size(); ++id) {
        const Track& track = timeline.tracks[id];
        if (track.rank != rank) continue;
        if (track.lane == Lane::task) return id;
        stage = std::max(stage, track.stage);
    }
    Track track;
    track.rank = rank;
    track.stage = stage;
    return timeline.addTrack(std::move(track));
}

/// Parts of [begin, end) that none of the intervals, sorted by start, covers.
std::vector<Interval> gapsIn(const std::vector<Interval>& covered, std::int64_t begin, std::int64_t end) {
    std::vector<Interval> gaps;
    std::int64_t reached = begin;
    for (const auto& [from, to] : covered) {
        if (to <= reached) continue;
        if (from >= end) break;
        if (from > reached) gaps.emplace_back(reached, from);
        reached = to;
    }
    if (reached < end) gaps.emplace_back(reached, end);
    return gaps;
}

/// The landmarks of one rank's step that tell the causes of waits apart.
struct Landmarks {
    std::int64_t firstBackward = std::numeric_limits<std::int64_t>::max();
    std::int64_t lastForwardEnd = std::numeric_limits<std::int64_t>::min();
    std::int64_t lastBackwardEnd = std::numeric_limits<std::int64_t>::min();
    bool hasPasses = false;
};

WaitCause causeAt(const Landmarks& marks, std::int64_t start) {
    if (!marks.hasPasses) return WaitCause::idle;
    if (start >= marks.lastBackwardEnd) return WaitCause::stepEnd;
    if (start < marks.firstBackward) return WaitCause::warmUp;
    return start >= marks.lastForwardEnd ? WaitCause::coolDown : WaitCause::steady;
}

}  // namespace

std::string_view name(WaitCause cause) {
    switch (cause) {
        case WaitCause::warmUp:
            return "warm-up";
        case WaitCause::steady:
            return "steady";
        case WaitCause::coolDown:
            return "cool-down";
        case WaitCause::stepEnd:
            return "step end";
        case WaitCause::peer:
            return "peer";
        case WaitCause::idle:
            return "idle";
    }
    return "idle";
}

void markGapsAsWaits(Timeline& timeline) {
    std::map<int, std::vector<Interval>> coveredOf;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const Track& track = timeline.tracks[span.track];
        if (track.lane == Lane::step || track.lane == Lane::host) continue;
        coveredOf[track.rank].emplace_back(span.start, span.end());
    }
    for (auto& [rank, covered] : coveredOf) std::sort(covered.begin(), covered.end());
    for (const auto& window : stepWindows(timeline)) {
        const auto gaps = gapsIn(coveredOf[window.rank], window.begin, window.end);
        if (gaps.empty()) continue;
        Span wait;
        wait.track = taskTrackOf(timeline, window.rank);
        wait.phase = Phase::wait;
        wait.name = timeline.names.intern("wait");
        wait.step = window.step;
        wait.stage = static_cast<std::int16_t>(timeline.tracks[wait.track].stage);
        for (const auto& [from, to] : gaps) {
            wait.start = from;
            wait.duration = to - from;
            timeline.add(wait);
        }
    }
}

void nameWaits(Timeline& timeline) {
    std::map<std::pair<int, int>, Landmarks> marksOf;  // (rank, step)
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const Track& track = timeline.tracks[span.track];
        if (track.lane != Lane::task) continue;
        auto& marks = marksOf[{track.rank, span.step}];
        if (span.phase == Phase::forward) {
            marks.lastForwardEnd = std::max(marks.lastForwardEnd, span.end());
            marks.hasPasses = true;
        } else if (span.phase == Phase::backward || span.phase == Phase::backwardWeight) {
            marks.firstBackward = std::min(marks.firstBackward, span.start);
            marks.lastBackwardEnd = std::max(marks.lastBackwardEnd, span.end());
        }
    }
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        if (span.phase != Phase::wait || timeline.names.text(span.name).starts_with("wait: ")) continue;
        const auto& marks = marksOf[{timeline.tracks[span.track].rank, span.step}];
        timeline.rename(row, timeline.names.intern("wait: " + std::string(name(causeAt(marks, span.start)))));
    }
}

}  // namespace orrery
