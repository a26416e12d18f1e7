// Exports of our own making: what the real ones do not have, and what a hostile one might.
#include <set>

#include <catch2/catch.hpp>

#include "importers/nsys/diagnostics.hpp"
#include "importers/nsys/nsys_report.hpp"
#include "importers/nsys/nvtx_rows.hpp"
#include "importers/nsys/rank_hints.hpp"
#include "importers/nsys/steps.hpp"
#include "model/units/input_error.hpp"
#include "tests/importers/nsys_fixture.hpp"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

std::string hex(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += fmt::format("{:02x}", value >> (8 * i) & 0xFF);
    return out;
}

/// NVTX_EVENTS.binaryData of a call in domain 1: header of 32 bytes, then the structure in hexadecimal.
std::string payload(std::uint64_t schema, const std::string& body) {
    return fmt::format("x'{}{}{}{}{}{}{}'", hex(1, 4), hex(0, 4), hex(schema, 4), hex(0, 4), hex(body.size() / 2, 8),
                       hex(32 + body.size() / 2, 8), body);
}

constexpr std::uint64_t kInit = 16777216;
constexpr std::uint64_t kAllGather = 16777220;
constexpr std::uint64_t kSend = 16777225;
constexpr std::uint64_t kCommunicator = 0xABCDEF0123456789;

/// Schemas as NCCL registers them, twice as in a report of two processes.
void addSchemas(NsysFixture& report) {
    report.sql(
        "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId INTEGER, schemaId INTEGER, idx INTEGER, flags INTEGER,"
        " type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER)");
    for (int process = 0; process < 2; ++process) {
        const auto entry = [&](std::uint64_t schema, int index, int type, const char* name, const char* offset) {
            report.sql(fmt::format("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(1,{},{},NULL,{},'{}',NULL,NULL,{})",
                                   schema, index, type, name, offset));
        };
        entry(kInit, 0, 18, "NCCL communicator ID", "NULL");
        entry(kInit, 1, 5, "No. of ranks", "8");
        entry(kInit, 2, 5, "Rank", "12");
        entry(kAllGather, 0, 18, "NCCL communicator ID", "NULL");
        entry(kAllGather, 1, 22, "Message size [bytes]", "8");
        entry(kSend, 0, 18, "NCCL communicator ID", "NULL");
        entry(kSend, 1, 22, "Message size [bytes]", "8");
        entry(kSend, 2, 5, "Peer rank", "16");
    }
}

std::vector<CollectiveView> collectives(const Profile& profile) {
    std::vector<CollectiveView> out;
    profile.forEachCollective([&](const CollectiveView& view) { out.push_back(view); });
    return out;
}

}  // namespace

TEST_CASE("NCCL's payloads give size, group, peer and rank; an all-gather's share becomes the full buffer", "[nsys]") {
    NsysFixture report;
    report.tables();
    addSchemas(report);
    const std::string communicator = hex(kCommunicator, 8);
    report.range("ncclCommInitRank", 10, 20, 7, 1, 1, payload(kInit, communicator + hex(8, 4) + hex(5, 4)))
        .range("ncclAllGather", 100, 200, 7, 1, 1, payload(kAllGather, communicator + hex(1024, 8)))
        .range("ncclGroupStart", 300, 301, 7, 1, 1)
        .range("ncclSend", 302, 303, 7, 1, 1, payload(kSend, communicator + hex(4096, 8) + hex(6, 4) + hex(0, 4)))
        .range("ncclRecv", 304, 305, 7, 1, 1, payload(kSend, communicator + hex(2048, 8) + hex(6, 4) + hex(0, 4)))
        .range("ncclGroupEnd", 306, 320, 7, 1, 1)
        .launch(150, 1)
        .launch(310, 2)
        .launch(400, 3)
        .kernel("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1000, 2000, 1)
        .kernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 3000, 4000, 2)
        .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 5000, 6000, 3);
    const Profile profile = report.import();
    const auto seen = collectives(profile);
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].kind == OpClass::allGather);
    CHECK(seen[0].bytes == 8 * 1024);
    CHECK(seen[0].groupSize == 8);
    CHECK(seen[1].kind == OpClass::sendRecv);
    CHECK(seen[1].bytes == 4096);
    CHECK(seen[1].peer == 6);
    CHECK(seen[2].kind == OpClass::allReduce);
    CHECK_FALSE(seen[2].bytes.has_value());
    REQUIRE(profile.processGroups().size() == 1);
    CHECK(profile.processGroups()[0].name == "0xabcdef0123456789");
    CHECK(profile.ranks().at(0).rank == 5);
    CHECK(profile.ranks().at(0).worldSize == 8);
    CHECK(report.warnings().find("include-blobs") == std::string::npos);
}

TEST_CASE("two kernels of one group do not say which of its calls they run", "[nsys]") {
    NsysFixture report;
    report.tables();
    addSchemas(report);
    const std::string one = payload(kAllGather, hex(kCommunicator, 8) + hex(1024, 8));
    report.range("ncclGroupStart", 300, 301, 7, 1, 1)
        .range("ncclAllReduce", 302, 303, 7, 1, 1, one)
        .range("ncclAllReduce", 304, 305, 7, 1, 1, one)
        .range("ncclGroupEnd", 306, 320, 7, 1, 1)
        .launch(310, 1)
        .launch(311, 2)
        .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1000, 2000, 1)
        .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 3000, 4000, 2);
    for (const auto& seen : collectives(report.import())) CHECK_FALSE(seen.bytes.has_value());
}

TEST_CASE("a payload that is shorter than its schema is left out and told", "[nsys]") {
    NsysFixture report;
    report.tables();
    addSchemas(report);
    report.range("ncclAllGather", 100, 200, 7, 1, 1, payload(kAllGather, hex(kCommunicator, 8)))
        .range("ncclAllGather", 300, 400, 7, 1, 1, "x'00'")
        .launch(150, 1)
        .kernel("ncclDevKernel_AllGather_RING_LL", 1000, 2000, 1);
    const auto seen = collectives(report.import());
    REQUIRE(seen.size() == 1);
    CHECK_FALSE(seen[0].bytes.has_value());
    CHECK_THAT(report.warnings(), Contains("2 NVTX payloads of NCCL do not fit"));
}

TEST_CASE("kernels belong to the step of their launch, by process", "[nsys]") {
    NsysFixture report;
    report.tables();
    report.range("iteration 3", 100, 200, 7)
        .range("iteration 4", 200, 300, 7)
        .range("iteration 9", 100, 300, 8)
        .launch(150, 1, 7)
        .launch(250, 2, 7)
        .launch(250, 2, 8)
        .kernel("late_of_three", 5000, 5010, 1, 7)
        .kernel("of_four", 6000, 6010, 2, 7)
        .kernel("of_nine", 5000, 5010, 2, 8)
        .kernel("without_launch", 7000, 7010, 99, 7);
    const Profile profile = report.import();
    CHECK(profile.ranks().size() == 2);
    CHECK(profile.steps().size() == 3);
    std::map<std::string, std::optional<std::int64_t>> steps;
    profile.forEachKernel([&](const KernelView& view) { steps[std::string(view.name)] = view.step; });
    CHECK(steps["late_of_three"] == 3);
    CHECK(steps["of_four"] == 4);
    CHECK(steps["of_nine"] == 9);
    CHECK(steps["without_launch"] == std::nullopt);
}

TEST_CASE("depths follow from starts even when rows are out of order; open ranges stay open", "[nsys]") {
    NsysFixture report;
    report.tables();
    report.range("inner", 20, 30).range("outer", 10, 100).range("innermost", 21, 22).range("after", 110, 120);
    report.sql(
        fmt::format("INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid) VALUES(200,-1,59,'open',{0});"
                    "INSERT INTO NVTX_EVENTS(start,eventType,text,globalTid) VALUES(201,34,'mark',{0});"
                    "INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid,endGlobalTid) "
                    "VALUES(202,210,60,'across',{0},{1});",
                    globalId(7, 1), globalId(7, 2)));
    std::map<std::string, RangeRow> seen;
    report.import().forEachRange([&](const RangeView& view) { seen[std::string(view.name)] = view; });
    CHECK(seen["outer"].depth == 0);
    CHECK(seen["inner"].depth == 1);
    CHECK(seen["innermost"].depth == 2);
    CHECK(seen["after"].depth == 0);
    CHECK_FALSE(seen["open"].duration.has_value());
    CHECK(seen["mark"].kind == RangeKind::mark);
    CHECK(seen["across"].kind == RangeKind::startEnd);
    CHECK(seen["across"].endThread == 2);
}

TEST_CASE("names of a report: steps, ranks, losses, counters", "[nsys]") {
    using namespace importers;
    CHECK(stepNumber("ProfilerStep#12") == 12);
    CHECK(stepNumber("iteration: 7") == 7);
    CHECK(stepNumber("Step_3") == 3);
    CHECK(stepNumber("train_step 5") == 5);
    CHECK_FALSE(stepNumber("step"));
    CHECK_FALSE(stepNumber("stepping 4"));
    CHECK_FALSE(stepNumber("step 4 of 5"));
    CHECK(rankInThreadName("MPI Rank 12") == 12);
    CHECK_FALSE(rankInThreadName("Rank 12"));
    CHECK(rankInFileName("job_rank3.sqlite") == 3);
    CHECK(rankInFileName("job.rank-12.sqlite") == 12);
    CHECK_FALSE(rankInFileName("franklin.sqlite"));
    CHECK(withoutCounters("aten::add, seq = 5, op_id = 77") == "aten::add");
    CHECK(withoutCounters("aten::add, op_id = 7, sizes = [[2, 3]]") == "aten::add, sizes = [[2, 3]]");
    CHECK(withoutCounters("a = b") == "a = b");
    REQUIRE(lossIn("1024 CUDA events were dropped"));
    CHECK(lossIn("1024 CUDA events were dropped")->count == 1024);
    CHECK(lossIn("1024 CUDA events were dropped")->kind == "CUDA events were dropped");
    CHECK(lossIn("Not all NVTX events might have been collected.")->count == 1);
    CHECK_FALSE(lossIn("Profiling has started."));
}

TEST_CASE("what the product says it lost is a loss of the profile", "[nsys]") {
    NsysFixture report;
    report.tables().kernel("k", 1, 2, 1);
    report.sql(
        fmt::format("INSERT INTO DIAGNOSTIC_EVENT VALUES(5,1,1,2,'Number of CUDA events dropped: 48',{0});"
                    "INSERT INTO DIAGNOSTIC_EVENT VALUES(6,1,1,1,'Number of NVTX events lost: 0',{0});"
                    "INSERT INTO DIAGNOSTIC_EVENT VALUES(7,1,1,3,'Cannot find\nthe driver',{0});",
                    globalId(7)));
    const auto losses = report.import().losses();
    REQUIRE(losses.size() == 1);
    CHECK(losses[0].kind == "Number of CUDA events dropped:");
    CHECK(losses[0].count == 48);
    CHECK_THAT(report.warnings(), Contains("Cannot find the driver"));
}

TEST_CASE("graphs without nodes are shown, counted as a loss, and the mend is named", "[nsys]") {
    NsysFixture report;
    report.tables().sql(
        fmt::format("CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER,"
                    " streamId INTEGER, globalPid INTEGER, graphId INTEGER);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(10,20,0,7,{},3)",
                    globalId(7)));
    const Profile profile = report.import();
    CHECK(profile.count("ranges") == 1);
    CHECK(profile.losses().at(0).kind == "graph_launches_without_kernels");
    CHECK_THAT(report.warnings(), Contains("--cuda-graph-trace=node"));
}

TEST_CASE("a rank's number is taken from the environment of the launched process, and nothing else is", "[nsys]") {
    NsysFixture report;
    report.tables().kernel("k", 1, 2, 1);
    report.sql(
        "INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_0:ENVIRONMENT_VARIABLE','SECRET_KEY=hunter2');"
        "INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_0:ENVIRONMENT_VARIABLE','RANK=11');"
        "INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_0:ENVIRONMENT_VARIABLE','WORLD_SIZE=16');"
        "CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INTEGER, devStateName TEXT, name TEXT, value TEXT);"
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(1,'','DeviceEnvironment','SECRET_KEY=hunter2');"
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(1,'','Hostname','node3');");
    const Profile profile = report.import();
    CHECK(profile.ranks().at(0).rank == 11);
    CHECK(profile.ranks().at(0).worldSize == 16);
    CHECK(profile.ranks().at(0).host == "node3");
    std::ifstream in(report.folder() / "job.db", std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    CHECK(bytes.find("hunter2") == std::string::npos);
}

TEST_CASE("columns and tables that an export lacks are unknown, not zero and not an error", "[nsys]") {
    NsysFixture report;
    report.sql(
        fmt::format("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,"
                    " streamId INTEGER);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10,20,0,7);"
                    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER,"
                    " streamId INTEGER, globalPid INTEGER);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(10,20,0,7,{});",
                    globalId(7)));
    const Profile profile = report.import();
    CHECK(profile.count("kernels") == 1);
    profile.forEachKernel([](const KernelView& view) { CHECK_FALSE(view.correlation.has_value()); });
    profile.forEachCopy([](const CopyView& view) { CHECK_FALSE(view.bytes.has_value()); });
}

TEST_CASE("views, triggers and times beyond reason do no harm", "[nsys][hostile]") {
    NsysFixture report;
    report.tables().kernel("k", 1, 2, 1);
    report.sql(
        "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS WITH RECURSIVE t(start) AS (SELECT 1 UNION ALL SELECT start+1 "
        "FROM t) SELECT start, start AS end, 0 AS deviceId, 0 AS streamId FROM t;"
        "CREATE TRIGGER t AFTER INSERT ON META_DATA_EXPORT BEGIN SELECT load_extension('x'); END;");
    report.kernel("huge", 9'000'000'000'000'000'000, 9'100'000'000'000'000'000, 2).kernel("backwards", 50, 40, 3);
    const Profile profile = report.import();
    CHECK(profile.count("copies") == 0);
    CHECK(profile.count("kernels") == 2);
    CHECK_THAT(report.warnings(), Contains("1 rows of device work have an impossible time"));
    CHECK_THAT(report.warnings(), Contains("1 rows of device work end before they start"));
}

TEST_CASE("a report that is not exported is answered with the command that exports it", "[nsys]") {
    const TempFolder folder;
    const auto file = folder.write("my job.nsys-rep", std::string("\1\2\0\3", 4));
    ProfileWriter writer(folder / "job.db");
    CHECK_THROWS_WITH(importers::importPaths({file}, writer, {}),
                      Contains("nsys export --type=sqlite --include-blobs=true") && Contains("my job.sqlite'"));
    CHECK_THROWS_WITH(importers::importPaths({folder.path()}, writer, {}), Contains("nsys export"));
}

TEST_CASE("another program's database is refused by name", "[nsys]") {
    const TempFolder folder;
    {
        SQLite::Database db((folder / "StringIds.sqlite").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        db.exec("CREATE TABLE StringIds(a)");
    }
    ProfileWriter writer(folder / "job.db");
    CHECK_THROWS_WITH(importers::importPaths({folder / "StringIds.sqlite"}, writer, {}),
                      Contains("without tables of Nsight Systems"));
}
