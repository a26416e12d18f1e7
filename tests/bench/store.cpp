// Kernel rows into a profile, one thread, file and indexes included: the yardstick is 500,000 rows/s on one core.
#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>

#include "data/store/profile_writer.hpp"

namespace {

void insertKernels(benchmark::State& state) {
    const auto file = std::filesystem::temp_directory_path() / "orrery-bench-store.db";
    const std::int64_t rows = state.range(0);
    for (auto unused : state) {
        orrery::ProfileWriter writer(file);
        orrery::RankRow rank;
        rank.file = "bench";
        rank.source = "bench";
        orrery::KernelRow row;
        row.rankId = writer.addRank(rank);
        for (std::int64_t i = 0; i < rows; ++i) {
            row.stream = i % 4;
            row.start = i * 1000;
            row.duration = 900;
            row.correlation = i;
            row.nameId = 1 + i % 200;
            writer.addKernel(row);
        }
        writer.finish();
    }
    state.counters["rows"] =
        benchmark::Counter(static_cast<double>(rows), benchmark::Counter::kIsIterationInvariantRate);
    std::filesystem::remove(file);
}
BENCHMARK(insertKernels)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
