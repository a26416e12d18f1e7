// A Nsight Systems export (a generated one, or the file in ORRERY_BENCH_NSYS) into a profile: rows a second. The
// generated one has the mix of a real capture of PyTorch: 1.9 runtime calls and 4.8 NVTX ranges to a kernel.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <benchmark/benchmark.h>

#include "importers/import_paths.hpp"

namespace {

std::filesystem::path generatedReport() {
    constexpr int kKernels = 100'000;
    const auto file = std::filesystem::temp_directory_path() / "orrery-bench-nsys.sqlite";
    std::filesystem::remove(file);
    SQLite::Database db(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const std::string count = "WITH RECURSIVE t(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM t WHERE i+1 < ";
    const std::string pid = std::to_string((1LL << 48) + (100LL << 24));
    db.exec(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,"
        " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER,"
        " gridX INTEGER, gridY INTEGER, gridZ INTEGER, graphNodeId INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
        " correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
        "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,"
        " textId INTEGER, domainId INTEGER);");
    db.exec(count +
            "300) INSERT INTO StringIds SELECT i, CASE i WHEN 299 THEN 'cudaLaunchKernel_v7000' ELSE "
            "'void some_gemm_kernel<float, ' || i || '>(float*, int)' END FROM t");
    const auto times = [](int number) { return std::to_string(number); };
    db.exec(count + times(kKernels) +
            ") INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i*1000+500, i*1000+1400, 0, 1, 7,"
            " i, " +
            pid + ", i%299, i%299, 128, 1, 1, NULL FROM t");
    db.exec(count + times(kKernels * 19 / 10) +
            ") INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i*500, i*500+200, 0, " + pid + "+1, i, 299, 0 FROM t");
    db.exec(count + times(kKernels * 48 / 10) +
            ") INSERT INTO NVTX_EVENTS SELECT i*200, i*200+190, 59, CASE WHEN i%4800=0"
            " THEN 'iteration ' || i/4800 ELSE 'aten::operation_' || i%50 || ', op_id = ' || i END, " +
            pid + "+1, NULL, 0 FROM t");
    db.exec("COMMIT");
    return file;
}

void importNsys(benchmark::State& state) {
    const char* given = std::getenv("ORRERY_BENCH_NSYS");
    const auto report = given != nullptr ? std::filesystem::path(given) : generatedReport();
    const auto profile = std::filesystem::temp_directory_path() / "orrery-bench-nsys.db";
    std::int64_t rows = 0;
    {
        SQLite::Database db(report.string(), SQLite::OPEN_READONLY);
        for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"}) {
            if (db.tableExists(table)) rows += db.execAndGet(std::string("SELECT count(*) FROM ") + table).getInt64();
        }
    }
    for (auto unused : state) {
        orrery::ProfileWriter writer(profile);
        orrery::importers::importPaths({report}, writer, {});
        writer.finish();
    }
    state.SetItemsProcessed(state.iterations() * rows);
    std::filesystem::remove(profile);
    if (given == nullptr) std::filesystem::remove(report);
}
BENCHMARK(importNsys)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
