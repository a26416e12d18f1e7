// Searches of whole plan spaces: GPT-3 175B on 64 and 512 A100, Megatron-1T on 4,096, as docs/benchmarks.md asks them.
#include <benchmark/benchmark.h>

#include "../model/specs.hpp"
#include "model/search/search_around.hpp"

namespace {

using namespace orrery;

void searched(benchmark::State& state, const ModelSpec& model, int gpus, std::int64_t batch) {
    ParallelPlan plan = specs::plan(1, 1, gpus);
    plan.flashAttention = false;
    SearchProblem problem = searchAround(specs::scenario(model, plan, 2048, batch, 1));
    problem.reference.reset();
    problem.space.schedule = allSchedules();
    SearchOptions options;
    options.threads = 1;
    std::int64_t plans = 0;
    for (auto _ : state) plans += search(problem, options).evaluated;
    state.SetItemsProcessed(plans);
}
BENCHMARK_CAPTURE(searched, gpt3_64, specs::gpt(96, 12288, 96), 64, 64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searched, gpt3_512, specs::gpt(96, 12288, 96), 512, 512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searched, megatron1T_4096, specs::gpt(128, 25600, 160), 4096, 4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searched, gpt3_16384, specs::gpt(96, 12288, 96), 16384, 16384)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
