// Where each rank's steps begin and end on a timeline, and one step cut out of it.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery {

struct StepWindow {
    int rank = 0;
    int step = 0;
    std::int64_t begin = 0, end = 0;  ///< ns on the timeline's axis

    [[nodiscard]] std::int64_t duration() const { return end - begin; }
};

/// Distinct ranks of the tracks, ascending.
[[nodiscard]] std::vector<int> ranksOf(const Timeline& timeline);

/// One window per rank and step, by (rank, begin): the spans of Lane::step. A timeline without any such span (a
/// prediction of one step) has one window per rank, step 0, over its whole extent. Empty when there are no spans.
[[nodiscard]] std::vector<StepWindow> stepWindows(const Timeline& timeline);

/// Step numbers that every rank of the timeline has, ascending.
[[nodiscard]] std::vector<int> commonSteps(const Timeline& timeline);

/// The spans of one step, all ranks, moved so that the earliest task of the step starts at 0 (waits before it have
/// negative times). Tracks and names keep their ids.
[[nodiscard]] Timeline extractStep(const Timeline& timeline, int step);

}  // namespace orrery
