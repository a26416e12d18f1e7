// A job that ran without delays: phases of a pipeline schedule at times that its own dependencies give.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/replay/replay_graph.hpp"
#include "model/schedule/orders.hpp"

namespace orrery::test {

struct SyntheticSizes {
    int dp = 2, pp = 4, chunks = 1, steps = 2, microBatches = 8;
};

/// ns that an op takes once it need not wait.
using DurationOf = std::function<std::int64_t(const ReplayOp& op, const OpType& type)>;

/// A forward pass takes 1 ms, a backward pass 2 ms, a transfer 10 us, anything else 100 us.
inline std::int64_t evenDuration(const ReplayOp&, const OpType& type) {
    if (type.role == OpRole::forward) return 1'000'000;
    if (type.role == OpRole::backward) return 2'000'000;
    return type.scope == SyncScope::pair ? 10'000 : 100'000;
}

/// Phases as Megatron's timers name them, in recorded order, all at made-up times (only their order counts).
inline ReplayJob orderedPhases(const SyntheticSizes& sizes) {
    ReplayJob job;
    job.dp = sizes.dp;
    job.pp = sizes.pp;
    job.chunks = sizes.chunks;
    for (int step = 0; step < sizes.steps; ++step) job.steps.push_back(10 * step);
    const Schedule schedule = sizes.chunks > 1 ? interleaved(sizes.pp, sizes.chunks, sizes.microBatches)
                                               : oneFOneB(sizes.pp, sizes.microBatches);
    const auto type = [&](const char* name) {
        for (std::size_t t = 0; t < job.types.size(); ++t) {
            if (job.types[t].name == name) return static_cast<std::uint16_t>(t);
        }
        job.types.push_back(*megatronOpType(name));
        return static_cast<std::uint16_t>(job.types.size() - 1);
    };
    for (int step = 0; step < sizes.steps; ++step) {
        for (int dp = 0; dp < sizes.dp; ++dp) {
            for (int stage = 0; stage < sizes.pp; ++stage) {
                std::int64_t time = 1'000'000'000LL * step;
                const auto add = [&](const char* name, int chunk = -1, int microBatch = -1) {
                    ReplayOp op;
                    op.type = type(name);
                    op.dp = dp;
                    op.stage = stage;
                    op.chunk = chunk;
                    op.microBatch = microBatch;
                    op.step = step;
                    op.start = time += 10;
                    op.duration = 5;
                    job.ops.push_back(op);
                };
                for (int chunk = 0; chunk < sizes.chunks; ++chunk) add("params-all-gather", chunk);
                for (const Task& task : schedule.of(stage)) {
                    const int place = task.chunk * sizes.pp + stage;
                    const bool first = place == 0, last = place == sizes.chunks * sizes.pp - 1;
                    const bool forward = task.kind == TaskKind::forward;
                    if (forward ? !first : !last) add(forward ? "forward-recv" : "backward-recv");
                    add(forward ? "forward-compute" : "backward-compute", task.chunk, task.microBatch);
                    if (forward ? !last : !first) add(forward ? "forward-send" : "backward-send");
                }
                add("gc");
                add("layernorm-grads-all-reduce");
                if (stage == 0 || stage == sizes.pp - 1) add("embedding-grads-all-reduce");
                for (int chunk = 0; chunk < sizes.chunks; ++chunk) add("grads-reduce-scatter", chunk);
                add("optimizer-clip-main-grad");
                add("optimizer");
            }
        }
    }
    return job;
}

/// The phases at the times at which they run when each takes its duration and nothing else delays it.
inline ReplayJob syntheticJob(const SyntheticSizes& sizes, const DurationOf& durationOf = evenDuration) {
    const ReplayGraph graph(orderedPhases(sizes));
    ReplayJob job = graph.job();
    std::vector<double> durations;
    for (const auto& op : job.ops) durations.push_back(static_cast<double>(durationOf(op, job.types[op.type])));
    const auto ends = graph.ends(durations);
    for (std::size_t id = 0; id < job.ops.size(); ++id) {
        auto& op = job.ops[id];
        op.duration = static_cast<std::int64_t>(durations[id]);
        op.start = std::llround(ends[id]) - op.duration + 1'000'000'000'000LL * op.step;
    }
    return job;
}

}  // namespace orrery::test
