// Full predictions per second (step time, memory, breakdown; no timeline) of Megatron-1T on 3072 A100.
#include <benchmark/benchmark.h>

#include "../model/specs.hpp"
#include "model/predict/predict_memo.hpp"

namespace {

using namespace orrery;

/// Table 1 of Narayanan et al. 2021 (arXiv 2104.04473): tp 8, pp 64, dp 6, batch 3072, micro-batch 1.
Scenario megatron1T() {
    ParallelPlan plan = specs::plan(8, 64, 6);
    plan.recompute = Recompute::full;
    plan.flashAttention = false;
    return specs::scenario(specs::gpt(128, 25600, 160), plan, 2048, 3072, 1);
}

void onePlan(benchmark::State& state) {
    const Scenario scenario = megatron1T();
    const CostModel cost(scenario.cluster, scenario.calibration);
    const IndexedWorkload workload(scenario.workload);
    for (auto _ : state) benchmark::DoNotOptimize(predict(scenario.model, scenario.plan, workload, cost).metrics.step);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(onePlan)->Unit(benchmark::kMicrosecond);

/// The same among many plans that share the costs of layers, as a search does it.
void onePlanOfMany(benchmark::State& state) {
    const Scenario scenario = megatron1T();
    const CostModel cost(scenario.cluster, scenario.calibration);
    const IndexedWorkload workload(scenario.workload);
    PredictMemo memo;
    for (auto _ : state)
        benchmark::DoNotOptimize(predict(scenario.model, scenario.plan, workload, cost, {}, memo).metrics.step);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(onePlanOfMany)->Unit(benchmark::kMicrosecond);

/// Unequal micro-batches: every replica is simulated task by task.
void unevenDocuments(benchmark::State& state) {
    Scenario scenario = megatron1T();
    for (auto& replica : scenario.workload.replicas) replica.front().documents = {1000, 1048};
    const CostModel cost(scenario.cluster, scenario.calibration);
    const IndexedWorkload workload(scenario.workload);
    for (auto _ : state) benchmark::DoNotOptimize(predict(scenario.model, scenario.plan, workload, cost).metrics.step);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(unevenDocuments)->Unit(benchmark::kMicrosecond);

void withTimeline(benchmark::State& state) {
    const Scenario scenario = megatron1T();
    for (auto _ : state) benchmark::DoNotOptimize(predict(scenario, {true, false}).timeline.size());
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(withTimeline)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
