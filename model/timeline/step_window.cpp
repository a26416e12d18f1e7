#include "model/timeline/step_window.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace orrery {

std::vector<int> ranksOf(const Timeline& timeline) {
    std::set<int> ranks;
    for (const auto& track : timeline.tracks) ranks.insert(track.rank);
    return {ranks.begin(), ranks.end()};
}

std::vector<StepWindow> stepWindows(const Timeline& timeline) {
    std::vector<StepWindow> windows;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const Track& track = timeline.tracks[span.track];
        if (track.lane == Lane::step) windows.push_back({track.rank, span.step, span.start, span.end()});
    }
    if (windows.empty() && timeline.size() > 0) {
        const auto [begin, end] = timeline.extent();
        for (const int rank : ranksOf(timeline)) windows.push_back({rank, 0, begin, end});
    }
    std::sort(windows.begin(), windows.end(), [](const StepWindow& a, const StepWindow& b) {
        return std::tie(a.rank, a.begin) < std::tie(b.rank, b.begin);
    });
    return windows;
}

std::vector<int> commonSteps(const Timeline& timeline) {
    std::map<int, std::set<int>> ranksByStep;
    std::set<int> ranks;
    for (const auto& window : stepWindows(timeline)) {
        ranksByStep[window.step].insert(window.rank);
        ranks.insert(window.rank);
    }
    std::vector<int> steps;
    for (const auto& [step, present] : ranksByStep) {
        if (present.size() == ranks.size()) steps.push_back(step);
    }
    return steps;
}

Timeline extractStep(const Timeline& timeline, int step) {
    std::map<int, StepWindow> windowOf;
    for (const auto& window : stepWindows(timeline)) {
        if (window.step == step) windowOf.emplace(window.rank, window);
    }
    const auto belongs = [&](const Span& span) {
        const auto found = windowOf.find(timeline.tracks[span.track].rank);
        if (found == windowOf.end()) return false;
        if (span.step >= 0) return span.step == step;
        return span.start >= found->second.begin && span.start < found->second.end;
    };
    Timeline out;
    out.tracks = timeline.tracks;
    out.names = timeline.names;
    constexpr auto kNever = std::numeric_limits<std::int64_t>::max();
    std::int64_t firstTask = kNever;
    std::int64_t firstAny = kNever;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        if (!belongs(span)) continue;
        firstAny = std::min(firstAny, span.start);
        const Lane lane = timeline.tracks[span.track].lane;
        const bool work = (lane == Lane::task || lane == Lane::kernel) && span.phase != Phase::wait;
        if (work) firstTask = std::min(firstTask, span.start);
    }
    const std::int64_t zero = firstTask == kNever ? firstAny : firstTask;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        Span span = timeline.span(row);
        if (!belongs(span)) continue;
        span.start -= zero;
        out.add(span);
    }
    out.sort();
    return out;
}

}  // namespace orrery
