#include "model/schedule/in_flight.hpp"

#include <algorithm>
#include <numeric>

namespace orrery {
namespace {

bool contains(const std::vector<int>& larger, const std::vector<int>& smaller) {
    return std::equal(larger.begin(), larger.end(), smaller.begin(), [](int a, int b) { return a >= b; });
}

/// Keeps `counts` unless a known set contains it, and then drops those that it contains.
void keepLargest(std::vector<std::vector<int>>& sets, const std::vector<int>& counts) {
    if (std::any_of(sets.rbegin(), sets.rend(), [&](const auto& known) { return contains(known, counts); })) return;
    std::erase_if(sets, [&](const auto& known) { return contains(counts, known); });
    sets.push_back(counts);
}

}  // namespace

InFlight::InFlight(const Schedule& schedule) {
    const TaskKind release = schedule.splitBackward ? TaskKind::backwardWeight : TaskKind::backward;
    for (int stage = 0; stage < schedule.stages; ++stage) {
        auto& sets = sets_.emplace_back();
        Counts counts(static_cast<std::size_t>(schedule.chunks), 0);
        if (schedule.mirrored()) counts.resize(2, 0);
        bool grown = false;
        for (const Task& task : schedule.of(stage)) {
            if (task.kind == TaskKind::forward) {
                ++counts[static_cast<std::size_t>(task.chunk)];
                grown = true;
            } else if (task.kind == release) {
                if (grown) keepLargest(sets, counts);
                --counts[static_cast<std::size_t>(task.chunk)];
                grown = false;
            }
        }
    }
}

InFlight InFlight::oneFOneB(int stages, int microBatches) {
    InFlight held;
    for (int stage = 0; stage < stages; ++stage) held.sets_.push_back({{std::min(stages - stage, microBatches)}});
    return held;
}

std::vector<double> InFlight::peak(const Schedule& layout, const double* held) const {
    std::vector<double> peaks;
    peaks.reserve(sets_.size());
    for (std::size_t stage = 0; stage < sets_.size(); ++stage) {
        double peak = 0.0;
        for (const Counts& counts : sets_[stage]) {
            double sum = 0.0;
            for (std::size_t chunk = 0; chunk < counts.size(); ++chunk)
                sum += counts[chunk] * held[layout.virtualStage(static_cast<int>(stage), static_cast<int>(chunk))];
            peak = std::max(peak, sum);
        }
        peaks.push_back(peak);
    }
    return peaks;
}

std::vector<int> InFlight::passes() const {
    std::vector<int> most;
    most.reserve(sets_.size());
    for (const auto& sets : sets_) {
        int stage = 0;
        for (const Counts& counts : sets) stage = std::max(stage, std::accumulate(counts.begin(), counts.end(), 0));
        most.push_back(stage);
    }
    return most;
}

int microBatchesUntilSteady(ScheduleKind kind, int stages, int microBatches) {
    if (kind == ScheduleKind::gpipe || kind == ScheduleKind::given || microBatches < 5 * stages) return microBatches;
    return 4 * stages + microBatches % stages;
}

}  // namespace orrery
