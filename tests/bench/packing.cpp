// Balancing one global batch of 4,096 documents; the goal is 5 ms.
#include <string>

#include <benchmark/benchmark.h>

#include "model/packing/named_lengths.hpp"
#include "model/packing/policies.hpp"

namespace {

using namespace orrery;

void balance(benchmark::State& state, const PackingPolicy& policy) {
    PackingProblem problem;
    problem.contextLength = problem.tokensPerMicroBatch = 131072;
    problem.replicas = 8;
    problem.cost = {0.0, 1.0, 1.0 / 32768.0};
    std::vector<std::int64_t> documents = drawLengths(*findNamedLengths("long-context"), 1'000'000'000, 1);
    documents.resize(4096);
    std::int64_t tokens = 0;
    for (const std::int64_t document : documents) tokens += document;
    problem.microBatches = tokens / problem.tokensPerMicroBatch / problem.replicas + 1;
    const GlobalBatches batches{documents};
    for (auto _ : state) benchmark::DoNotOptimize(policy.pack(batches, problem));
    state.SetItemsProcessed(state.iterations() * 4096);
}

}  // namespace

int main(int argc, char** argv) {
    for (const PackingPolicy& policy : packingPolicies())
        benchmark::RegisterBenchmark(std::string(policy.name).c_str(), balance, policy)->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
