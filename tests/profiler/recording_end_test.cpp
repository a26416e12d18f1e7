// How recorded processes end, badly or otherwise: what was drained survives, and the program is never hurt.
#include <cstdio>
#include <fstream>
#include <set>

#include "tests/profiler/recording.hpp"

namespace orrery::test {
namespace {

std::int64_t rangesIn(const std::filesystem::path& file) {
    return Profile(file).count("ranges");
}

}  // namespace

TEST_CASE("kill -9 loses at most what was not drained", "[recording]") {
    const TempFolder folder;
    // 10 drain periods of margin, because the machine may be busy; the bound itself is one period and one commit.
    const ProgramRun run = runAgent(folder, kProgram + " killed 1600 500", "--drain-ms 50");
    INFO(run.output);
    CHECK(run.exitCode == 128 + 9);
    std::size_t old = 0;
    std::size_t all = 0;
    REQUIRE(std::sscanf(run.output.c_str(), "closed %zu of %zu", &old, &all) == 2);
    REQUIRE(old > 50);
    const auto files = profilesIn(folder / "out");
    REQUIRE(files.size() == 1);
    const auto process = readProcess(files.front());
    const auto counted = process.named("counted");
    CHECK(counted.size() >= old);
    CHECK(counted.size() <= all);
    for (const auto& range : counted) {
        REQUIRE(range.duration.has_value());
        CHECK(range.depth == 1);
    }
    CHECK_FALSE(process.only("open for long").duration.has_value());
    CHECK_FALSE(process.named("of the busy thread").empty());
    CHECK(process.clocks.size() >= 2);
}

TEST_CASE("a program that dies of a signal inside a range keeps what was drained", "[recording]") {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, kProgram + " signal 1500", "--drain-ms 20");
    INFO(run.output);
    CHECK(run.exitCode == 128 + 6);
    const auto process = readProcess(profilesIn(folder / "out").front());
    CHECK_FALSE(process.only("open").duration.has_value());
}

TEST_CASE("every forked child writes a profile of its own", "[recording]") {
#if defined(__SANITIZE_THREAD__)
    std::printf("skipped: the thread sanitizer cannot follow threads that start after a fork\n");
    return;
#endif
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, "timeout 60 " + kProgram + " forks 20", "--drain-ms 5 --ring-kib 65536");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto files = profilesIn(folder / "out");
    REQUIRE(files.size() == 21);
    std::set<std::int64_t> pids;
    int parents = 0;
    for (const auto& file : files) {
        const auto process = readProcess(file);
        pids.insert(*process.ranks.front().pid);
        if (!process.named("before fork").empty()) {
            ++parents;
            CHECK(process.only("before fork").duration.has_value());
            CHECK(process.only("after fork").duration.has_value());
            CHECK(process.named("in child").empty());
        } else {
            CHECK(process.ranges.size() == 1);
            CHECK(process.only("in child").duration.has_value());
        }
    }
    CHECK(parents == 1);
    CHECK(pids.size() == 21);
}

TEST_CASE("a program that replaces itself by exec leaves two profiles", "[recording]") {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, kProgram + " exec 300", "--drain-ms 10");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto files = profilesIn(folder / "out");
    REQUIRE(files.size() == 2);
    CHECK(rangesIn(files[0]) == 1);
    CHECK(rangesIn(files[1]) == 1);
    CHECK(readProcess(files[0]).ranks.front().pid == readProcess(files[1]).ranks.front().pid);
}

TEST_CASE("threads that end give their memory back and their open ranges stay open", "[recording]") {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, kProgram + " short-threads 400", "--drain-ms 5");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto process = readProcess(profilesIn(folder / "out").front());
    CHECK(process.named("short life").size() == 400);
    CHECK(process.named("left open").size() == 400);
    for (const auto& range : process.named("short life")) REQUIRE(range.depth == 0);
    for (const auto& range : process.named("left open")) REQUIRE_FALSE(range.duration.has_value());
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    long kib = 0;
    REQUIRE(std::sscanf(run.output.c_str(), "VmSize: %ld", &kib) == 1);
    CHECK(kib < 1'500'000);  // 400 rings of 8 MiB would be 3.2 GiB
#endif
}

TEST_CASE("ranges marked while statics are torn down do no harm", "[recording]") {
    const auto process = record("late");
    CHECK(process.only("in time").duration.has_value());
    CHECK(process.named("after exit began").empty());
}

TEST_CASE("a full disk stops the record and not the program", "[recording]") {
    const TempFolder folder;
    // A limit on the size of a file fails like a full disk (and would send SIGXFSZ to a careless thread).
    const ProgramRun run =
        runAgent(folder, "sh -c 'ulimit -f 600; exec " + kProgram + " burst 2 100000 1'", "--drain-ms 5");
    INFO(run.output);
    CHECK(run.exitCode == 0);
    CHECK(run.output.find("recording of process") != std::string::npos);
    CHECK(run.output.find("stopped") != std::string::npos);
    const auto files = profilesIn(folder / "out");
    REQUIRE(files.size() == 1);
    CHECK(rangesIn(files.front()) < 200000);
}

TEST_CASE("an output folder that cannot be made stops the record and not the program", "[recording]") {
    const ProgramRun run = runProgram("NVTX_INJECTION64_PATH=" + kLibrary + " ORRERY_OUTPUT_DIR=/dev/null/x " +
                                      kProgram + " burst 1 10 1");
    INFO(run.output);
    CHECK(run.exitCode == 0);
    CHECK(run.output.find("recording of process") != std::string::npos);
    CHECK(run.output.find("/dev/null/x") != std::string::npos);
}

TEST_CASE("a finished profile is one plain file", "[recording]") {
    const TempFolder folder;
    REQUIRE(runAgent(folder, kProgram + " texts").exitCode == 0);
    const auto entries = std::distance(std::filesystem::directory_iterator(folder / "out"), {});
    CHECK(entries == 1);
}

TEST_CASE("the library exports its entry points only and needs no library of the program's", "[recording]") {
    const ProgramRun symbols = runProgram("nm -D --defined-only " + kLibrary);
    if (symbols.exitCode != 0) {
        std::printf("skipped: no nm (binutils) here\n");
        return;
    }
    std::istringstream lines(symbols.output);
    int exported = 0;
    for (std::string address, type, name; lines >> address >> type >> name; ++exported) {
        CHECK((name.starts_with("InitializeInjection") || name.starts_with("ncclProfiler_v")));
    }
    CHECK(exported == 3 + 6);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    const ProgramRun needed = runProgram("readelf -d " + kLibrary);
    for (const std::string library : {"sqlite", "fmt", "stdc++", "gcc_s"}) {
        INFO(library);
        CHECK(needed.output.find("[lib" + library) == std::string::npos);
    }
#endif
}

}  // namespace orrery::test
