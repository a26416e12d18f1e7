#include "model/compare/micro_batch_times.hpp"

#include <algorithm>
#include <map>

#include "model/timeline/step_window.hpp"

namespace orrery {
namespace {

/// A table of this is drawn; a damaged recording that names micro-batch 2^31 must not become memory.
constexpr int kMostMicroBatches = 1 << 20;

bool isWork(const Timeline& timeline, const Span& span, int step) {
    if (timeline.tracks[span.track].lane != Lane::task || (step >= 0 && span.step >= 0 && span.step != step))
        return false;
    const bool pass = span.phase == Phase::forward || span.phase == Phase::backward ||
                      span.phase == Phase::backwardWeight || span.phase == Phase::recompute;
    return pass && span.microBatch >= 0 && span.microBatch < kMostMicroBatches;
}

}  // namespace

double MicroBatchTimes::imbalance(std::size_t rank) const {
    std::int64_t sum = 0;
    std::int64_t most = 0;
    int worked = 0;
    for (int m = 0; m < microBatches; ++m) {
        sum += at(rank, m);
        most = std::max(most, at(rank, m));
        worked += at(rank, m) > 0 ? 1 : 0;
    }
    return sum == 0 ? 0.0 : static_cast<double>(most) * worked / static_cast<double>(sum);
}

MicroBatchTimes microBatchTimes(const Timeline& timeline, int step) {
    MicroBatchTimes out;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        if (isWork(timeline, span, step)) out.microBatches = std::max(out.microBatches, span.microBatch + 1);
    }
    if (out.microBatches == 0) return out;
    std::map<int, std::size_t> position;
    for (const int rank : ranksOf(timeline)) {
        position[rank] = out.ranks.size();
        out.ranks.push_back(rank);
    }
    out.stages.assign(out.ranks.size(), -1);
    for (const auto& track : timeline.tracks) {
        int& stage = out.stages[position[track.rank]];
        stage = std::max(stage, track.stage);
    }
    const auto columns = static_cast<std::size_t>(out.microBatches);
    out.time.assign(out.ranks.size() * columns, 0);
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        if (!isWork(timeline, span, step)) continue;
        const auto rank = position[timeline.tracks[span.track].rank];
        out.time[rank * columns + static_cast<std::size_t>(span.microBatch)] += span.duration;
    }
    return out;
}

}  // namespace orrery
