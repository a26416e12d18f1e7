// A job of 16,384 ranks where no two replicas are alike: other documents in every micro-batch, another speed of every
// device. The goal is under 10 s and 8 GiB.
#include <algorithm>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>

#include "../model/specs.hpp"

namespace {

using namespace orrery;

/// Highest resident memory of this process so far, GiB; 0 where /proc is not there.
double peakGib() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        double kib = 0.0;
        if (word == "VmHWM:" && status >> kib) return kib / (1024.0 * 1024.0);
    }
    return 0.0;
}

/// Llama-3 405B shape on tp 8, pp 16, dp 128; deterministic document lengths that differ everywhere.
Scenario everyRankDistinct(int dp) {
    ParallelPlan plan = specs::plan(8, 16, dp);
    plan.sequenceParallel = true;
    plan.schedule = ScheduleKind::interleaved;
    plan.vpp = 2;
    Scenario scenario;
    scenario.model = specs::llama(128, 16384, 128, 8, 53248, 128256);
    scenario.plan = plan;
    scenario.cluster = specs::a100(plan.worldSize());
    scenario.workload.sequenceLength = 8192;
    std::uint64_t state = 1;
    const auto next = [&state](std::uint64_t below) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return (state >> 33) % below;
    };
    for (int replica = 0; replica < dp; ++replica) {
        auto& list = scenario.workload.replicas.emplace_back();
        for (int i = 0; i < 32; ++i) {
            const auto first = static_cast<std::int64_t>(1 + next(8190));
            list.push_back({{first, 8192 - first}});
        }
    }
    for (int rank = 0; rank < scenario.cluster.gpus; ++rank)
        scenario.cluster.deviceSpeed.push_back(1.0 - 1e-6 * static_cast<double>(1 + next(100'000)));
    return scenario;
}

void distinctRanks(benchmark::State& state) {
    const Scenario scenario = everyRankDistinct(static_cast<int>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(predict(scenario).metrics.step);
    state.counters["ranks"] = scenario.plan.worldSize();
    state.counters["peak_GiB"] = peakGib();
}
BENCHMARK(distinctRanks)->Arg(16)->Arg(64)->Arg(128)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
