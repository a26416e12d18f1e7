// Replay of a 64-GPU job (DP 4, PP 4, TP 4; 44 steps of 32 micro-batches, the size of the published job AR): graph,
// one run, and all metrics.
#include <benchmark/benchmark.h>

#include "../support/synthetic_replay_job.hpp"
#include "model/replay/straggler_analysis.hpp"
#include "model/replay/what_if.hpp"

namespace {

using namespace orrery;

const ReplayJob& job() {
    static const ReplayJob made = test::syntheticJob({4, 4, 1, 44, 32});
    return made;
}

void graph(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(ReplayGraph(job()).recorded().size());
    state.SetItemsProcessed(state.iterations() * std::ssize(job().ops));
}
BENCHMARK(graph)->Unit(benchmark::kMillisecond);

void oneRun(benchmark::State& state) {
    const ReplayGraph built(job());
    for (auto _ : state) benchmark::DoNotOptimize(built.simulate(built.recorded()).front());
    state.SetItemsProcessed(state.iterations() * std::ssize(job().ops));
}
BENCHMARK(oneRun)->Unit(benchmark::kMillisecond);

void allMetrics(benchmark::State& state) {
    const ReplayGraph built(job());
    for (auto _ : state) benchmark::DoNotOptimize(analyseStragglers(built).slowdown);
    state.SetItemsProcessed(state.iterations() * std::ssize(job().ops));
}
BENCHMARK(allMetrics)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
