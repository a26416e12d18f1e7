// A Kineto trace (a generated one, or the file in ORRERY_BENCH_TRACE) into a profile: bytes of JSON a second.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>

#include "importers/import_paths.hpp"

namespace {

std::filesystem::path generatedTrace() {
    const auto file = std::filesystem::temp_directory_path() / "orrery-bench-trace.json";
    std::ofstream out(file);
    out << R"({"schemaVersion":1,"traceEvents":[)";
    for (int i = 0; i < 100'000; ++i) {
        const bool kernel = i % 8 == 0;
        out << (i == 0 ? "" : ",\n") << R"({"ph":"X","cat":")" << (kernel ? "kernel" : "cpu_op")
            << R"(","name":"operation_)" << i % 200 << R"(","pid":0,"tid":7,"ts":)" << 1'700'000'000'000'000 + i * 10
            << R"(.125,"dur":9.5,"args":{"External id":)" << i << R"(,"device":0,"stream":7,"correlation":)" << i
            << R"(,"registers per thread":64,"grid":[128,1,1],"block":[256,1,1]}})";
    }
    out << "]}";
    return file;
}

void importKineto(benchmark::State& state) {
    const char* given = std::getenv("ORRERY_BENCH_TRACE");
    const auto trace = given != nullptr ? std::filesystem::path(given) : generatedTrace();
    const auto profile = std::filesystem::temp_directory_path() / "orrery-bench-import.db";
    for (auto unused : state) {
        orrery::ProfileWriter writer(profile);
        orrery::importers::importPaths({trace}, writer, {});
        writer.finish();
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(trace)));
    std::filesystem::remove(profile);
    if (given == nullptr) std::filesystem::remove(trace);
}
BENCHMARK(importKineto)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
