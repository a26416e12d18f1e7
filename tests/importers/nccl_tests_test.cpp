#include <catch2/catch.hpp>

#include "importers/nccl_tests/result_line.hpp"
#include "tests/importers/imported.hpp"
#include "tests/support/shared_data.hpp"

using namespace orrery;
using namespace orrery::test;

TEST_CASE("a row is read in the layouts of old and new versions", "[nccl_tests]") {
    const auto now = importers::parseResultLine("1048576 262144 float sum -1 123.2 8.51 15.95 0 121.3 8.64 16.21 0");
    REQUIRE(now);
    CHECK(now->bytes == 1048576);
    CHECK(now->dtype == "float");
    CHECK(now->outOfPlace->microseconds == 123.2);
    CHECK(now->inPlace->busbw == 16.21);
    const auto old = importers::parseResultLine("1048576 262144 float 123.2 8.51 15.95 1e-06 121.3 8.64 16.21 1e-06");
    REQUIRE(old);
    CHECK(old->outOfPlace->busbw == 15.95);
    CHECK(old->inPlace->microseconds == 121.3);
    for (const char* line : {"# Avg bus bandwidth : 12.3", "", "1 2 3 4 5 6 7 8", "size count type redop root time"}) {
        CHECK_FALSE(importers::parseResultLine(line));
    }
}

TEST_CASE("what launchers put before a line is taken off", "[nccl_tests]") {
    CHECK(importers::withoutLauncherPrefix("0:  8 2 float") == "  8 2 float");
    CHECK(importers::withoutLauncherPrefix("[1,0]<stdout>:8 2 float") == "8 2 float");
    CHECK(importers::withoutLauncherPrefix("8 2 float") == "8 2 float");
}

TEST_CASE("a sweep with its list of ranks gives measurements with ranks and nodes", "[nccl_tests]") {
    const Imported job(
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 64\n# Collective test starting: all_gather_perf\n"
        "#  Rank  0 Group  0 Pid    11 on   nodeA device  0 [0x0f] NVIDIA H100\n"
        "#  Rank  1 Group  0 Pid    12 on   nodeB device  0 [0x0f] NVIDIA H100\n"
        "  1048576  131072 float none -1 100.0 10.49 5.24 0 110.5 9.49 4.74 0\n",
        "out.txt");
    const auto rows = job.profile().measurements();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].kind == OpClass::allGather);
    CHECK(rows[0].ranks == 2);
    CHECK(rows[0].nodes == 2);
    CHECK(rows[0].time == 100000);
    CHECK(rows[1].time == 110500);
    CHECK(rows[1].inPlace == true);
}

TEST_CASE("the published sweep of 16 H100 is read whole", "[nccl_tests][facts]") {
    const auto file = sharedData("traces/nccl-tests/aws_2x_p5_h100_allreduce.txt");
    if (!file) return;
    const TempFolder folder;
    {
        ProfileWriter writer(folder / "job.db");
        importers::importPaths({*file}, writer, {});
        writer.finish();
    }
    const auto rows = Profile(folder / "job.db").measurements();
    REQUIRE(rows.size() == 64);
    CHECK(rows.back().bytes == 17179869184);
    CHECK(rows.back().time == 66109000);
    CHECK(rows.back().ranks == 16);
}
