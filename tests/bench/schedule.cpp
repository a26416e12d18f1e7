// Simulating schedules task by task; the goal is 131,072 tasks under 25 ms on one core, and linear time.
#include <benchmark/benchmark.h>

#include "model/schedule/orders.hpp"
#include "model/schedule/simulate.hpp"

namespace {

using namespace orrery;

/// Stages and micro-batches with times that all differ a little, so that nothing is uniform.
TaskTimes unevenTimes(const Schedule& schedule) {
    TaskTimes times = TaskTimes::uniform(schedule.virtualStages(), schedule.microBatches, 1e-3, 2e-3, 1e-3);
    double factor = 1.0;
    for (double& duration : times.duration) duration *= (factor = factor < 1.05 ? factor + 0.001 : 1.0);
    for (double& transfer : times.transfer) transfer = 2e-5;
    return times;
}

void report(benchmark::State& state, const Schedule& schedule) {
    state.counters["tasks"] = static_cast<double>(schedule.tasks.size());
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(schedule.tasks.size()));
}

void interleavedTwoChunks(benchmark::State& state) {
    const auto microBatches = static_cast<int>(state.range(0));
    const Schedule schedule = interleaved(64, 2, microBatches);
    const TaskTimes times = unevenTimes(schedule);
    Simulation run;
    for (auto _ : state) {
        simulate(schedule, times, run);
        benchmark::DoNotOptimize(run.makespan);
    }
    report(state, schedule);
}
BENCHMARK(interleavedTwoChunks)->Arg(128)->Arg(256)->Arg(512)->Arg(1024)->Unit(benchmark::kMillisecond);

void orderAndSimulate(benchmark::State& state) {
    for (auto _ : state) {
        const Schedule schedule = interleaved(64, 2, 512);
        benchmark::DoNotOptimize(simulate(schedule, unevenTimes(schedule)).makespan);
    }
}
BENCHMARK(orderAndSimulate)->Unit(benchmark::kMillisecond);

void zeroBubble(benchmark::State& state) {
    const Schedule schedule = zbH1(64, 512);
    const TaskTimes times = unevenTimes(schedule);
    Simulation run;
    for (auto _ : state) {
        simulate(schedule, times, run);
        benchmark::DoNotOptimize(run.makespan);
    }
    report(state, schedule);
}
BENCHMARK(zeroBubble)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
