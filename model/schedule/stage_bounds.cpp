#include "model/schedule/stage_bounds.hpp"

#include <algorithm>
#include <limits>

namespace orrery {
namespace {

/// Shortest time of a pass over each position of the model, and of its transfer to the next one, over all shapes.
struct Shortest {
    std::vector<double> pass, transfer;  ///< by position
};

Shortest shortestPasses(const TaskTimes& times, const std::vector<int>& counts, TaskKind kind) {
    const auto positions = static_cast<std::size_t>(times.virtualStages);
    Shortest shortest{std::vector<double>(positions, std::numeric_limits<double>::infinity()),
                      std::vector<double>(positions, std::numeric_limits<double>::infinity())};
    const std::size_t direction = kind == TaskKind::forward ? 0 : 1;
    for (std::uint32_t shape = 0; shape < counts.size(); ++shape) {
        if (counts[shape] == 0) continue;
        for (std::size_t v = 0; v < positions; ++v) {
            const std::size_t row = times.row(shape, static_cast<int>(v));
            shortest.pass[v] = std::min(shortest.pass[v], times.duration[row * 3 + static_cast<std::size_t>(kind)]);
            shortest.transfer[v] = std::min(shortest.transfer[v], times.transfer[row * 2 + direction]);
        }
    }
    return shortest;
}

/// Time from the first position of the model to each of the others, forward; or back from each to the first.
std::vector<double> pathToFirst(const Shortest& shortest, TaskKind kind) {
    std::vector<double> path(shortest.pass.size(), 0.0);
    for (std::size_t v = 1; v < path.size(); ++v) {
        // Forward, position v-1 sends to v; backward, v sends to v-1, which then has to pass.
        const double transfer = shortest.transfer[kind == TaskKind::forward ? v - 1 : v];
        path[v] = path[v - 1] + shortest.pass[v - 1] + transfer;
    }
    return path;
}

/// All that occupies a stage: its tasks, and its transfers where it waits for them.
struct StageWork {
    double all = 0.0;
    double weight = 0.0;  ///< part that may come after the last gradient has left
};

/// What a micro-batch of a shape costs the stage that holds position v.
StageWork workAt(const TaskTimes& times, std::uint32_t shape, int v) {
    const std::size_t row = times.row(shape, v);
    StageWork work;
    for (std::size_t kind = 0; kind < 3; ++kind) work.all += times.duration[row * 3 + kind];
    work.weight = times.duration[row * 3 + 2];
    if (times.blockingSends && v + 1 < times.virtualStages) work.all += times.transfer[row * 2];
    if (times.blockingSends && v > 0) work.all += times.transfer[row * 2 + 1];
    return work;
}

StageWork workOf(const Schedule& layout, const TaskTimes& times, const std::vector<int>& counts, int stage) {
    StageWork work;
    for (std::uint32_t shape = 0; shape < counts.size(); ++shape) {
        if (layout.mirrored()) {  // one of the two parts, and which one the counts do not tell
            const StageWork one = workAt(times, shape, stage);
            const StageWork other = workAt(times, shape, layout.stages - 1 - stage);
            work.all += counts[shape] * std::min(one.all, other.all);
            work.weight += counts[shape] * std::max(one.weight, other.weight);
            continue;
        }
        for (int chunk = 0; chunk < layout.chunks; ++chunk) {
            const StageWork one = workAt(times, shape, layout.virtualStage(stage, chunk));
            work.all += counts[shape] * one.all;
            work.weight += counts[shape] * one.weight;
        }
    }
    return work;
}

}  // namespace

std::vector<double> stageBounds(const Schedule& layout, const TaskTimes& times, const std::vector<int>& counts) {
    const auto stages = static_cast<std::size_t>(layout.stages);
    const Shortest forward = shortestPasses(times, counts, TaskKind::forward);
    const Shortest backward = shortestPasses(times, counts, TaskKind::backward);
    std::vector<double> lead = pathToFirst(forward, TaskKind::forward);
    std::vector<double> tail = pathToFirst(backward, TaskKind::backward);
    if (layout.mirrored()) {  // micro-batches come from both ends
        for (std::size_t s = 0; s < stages / 2; ++s) {
            lead[stages - 1 - s] = lead[s];
            tail[stages - 1 - s] = tail[s];
        }
    }
    std::vector<double> ends(stages, 0.0);
    // Chunk 0 of stage s is position s of every placement. What stage s does last sends a gradient through all
    // positions in front of it; passes on the way are on stages 0 .. s-1.
    double lastGradient = 0.0;
    for (std::size_t s = stages; s-- > 0;) {
        const StageWork work = workOf(layout, times, counts, static_cast<int>(s));
        const double release = s < times.release.size() ? times.release[s] : 0.0;
        const double begin = std::max(lead[s], release);
        // A transfer that the stage waits for is part of its work already.
        const double sent = times.blockingSends && s > 0 ? backward.transfer[s] : 0.0;
        lastGradient = std::max(lastGradient, begin + work.all - work.weight + tail[s] - sent);
        ends[s] = begin + work.all;
    }
    // The last gradient comes back to the first stage; to either end where the model lies mirrored.
    if (!layout.mirrored()) ends.front() = std::max(ends.front(), lastGradient);
    return ends;
}

}  // namespace orrery
