// The malformations that real traces have (where they were reported stands in the names).
#include <catch2/catch.hpp>

#include "tests/importers/imported.hpp"

using namespace orrery;
using namespace orrery::test;

TEST_CASE("bare N/A, nan and inf cost no event (kineto #131, #993)", "[kineto][malformed]") {
    const std::string value = GENERATE("N/A", "nan", "-nan", "inf", "-inf", "NaN", "Infinity");
    const Imported job(trace(
        joined({kernelEvent("a", "1", fmt::format(R"x(,"memory bandwidth (GB/s)":{})x", value)), kernelEvent("b")})));
    REQUIRE(job.kernels().size() == 2);
    CHECK(job.kernels()[0].row.stream == 7);
}

TEST_CASE("unescaped quotes in a name are taken as part of it (pytorch #146900)", "[kineto][malformed]") {
    const Imported job(
        trace(joined({kernelEvent("a", "1"), kernelEvent(R"(torch "dynamo" x)", "2"), kernelEvent("c", "3")})));
    REQUIRE(job.kernels().size() == 3);
    CHECK(job.kernels()[1].name == R"(torch "dynamo" x)");
    CHECK_THAT(job.warnings(), Catch::Contains("mended"));
}

TEST_CASE("control characters and broken UTF-8 in a name keep the event (pytorch #130622, kineto #80)",
          "[kineto][malformed]") {
    const std::string bad = GENERATE(std::string("x\ny"), std::string("x\x01y"), std::string("x\0y", 3),
                                     std::string("x\xFFy"), std::string("x\xC3"), std::string("x\xED\xA0\x80y"));
    const Imported job(trace(joined({kernelEvent("a", "1"), kernelEvent(bad, "2"), kernelEvent("c", "3")})));
    REQUIRE(job.kernels().size() == 3);
    CHECK(job.kernels()[1].name.front() == 'x');
    CHECK(job.kernels()[1].row.start == 2000);
}

TEST_CASE("empty fragments in arguments and lists are stepped over", "[kineto][malformed]") {
    CHECK(Imported(trace(joined({kernelEvent("a", "1", ", "), "", kernelEvent("b", "2"), ""}))).kernels().size() == 2);
}

TEST_CASE("a truncated file gives all complete events and the byte where it ends", "[kineto][malformed]") {
    const std::string whole = trace(joined({kernelEvent("a", "1"), kernelEvent("b", "2"), kernelEvent("c", "3")}));
    const std::size_t third = whole.rfind("{\"ph\"");
    const std::size_t kept = GENERATE_COPY(third + 1, third + 10, third + 30, third + 80, whole.size() - 4);
    const Imported job(whole.substr(0, kept));
    REQUIRE(job.kernels().size() == 2);
    CHECK_THAT(job.warnings(), Catch::Contains(fmt::format("byte {}", third)));
}

TEST_CASE("log text with raw quotes behind the events costs no event (kineto #1184)", "[kineto][malformed]") {
    const Imported job(trace(kernelEvent("a"), R"("distributedInfo":{"rank":3,"world_size":8},)",
                             R"(,"WARNING":["said "hello" {"], "traceName":"x")"));
    CHECK(job.kernels().size() == 1);
    CHECK(job.profile().ranks().at(0).rank == 3);
}

TEST_CASE("of duplicate keys in arguments the last holds", "[kineto][malformed]") {
    const Imported job(trace(kernelEvent("a", "1", R"(,"stream":9,"correlation":5)")));
    REQUIRE(job.kernels().size() == 1);
    CHECK(job.kernels()[0].row.stream == 9);
    CHECK(job.kernels()[0].row.correlation == 5);
}

TEST_CASE("spans that overlap on one stream are kept as they are (kineto #136)", "[kineto]") {
    const Imported job(trace(joined({kernelEvent("a", "1"), kernelEvent("b", "3")})));
    REQUIRE(job.kernels().size() == 2);
    CHECK(job.kernels()[0].row.duration == 5000);
    CHECK(job.kernels()[1].row.start == 3000);
}

TEST_CASE("categories as spelled up to torch 1.12 and threads named 'stream 7'", "[kineto]") {
    const Imported job(
        trace(R"({"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":1,"dur":2},)"
              R"({"ph":"X","cat":"Memcpy","name":"m","pid":0,"tid":"stream 7","ts":4,"dur":1,"args":{"bytes":8}})"));
    REQUIRE(job.kernels().size() == 1);
    CHECK(job.kernels()[0].row.stream == 7);
    CHECK(job.profile().count("copies") == 1);
}

TEST_CASE("text where a process or thread number is expected costs no event", "[kineto]") {
    const Imported job(trace(
        R"({"ph":"X","cat":"Trace","name":"s","pid":"Spans","tid":"PyTorch Profiler","ts":1,"dur":2},)"
        R"({"ph":"X","cat":"kernel","name":"k","pid":"","tid":"","ts":1,"dur":2,"args":{"device":1,"stream":3}})"));
    REQUIRE(job.kernels().size() == 1);
    CHECK(job.kernels()[0].row.device == 1);
    CHECK(job.kernels()[0].row.stream == 3);
}

TEST_CASE("the category tells kernels, not a process number or a stream argument (HTA #268)", "[kineto]") {
    const Imported job(trace(
        joined({R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":0,"tid":7,"ts":1,"dur":2})", kernelEvent("k"),
                R"({"ph":"X","cat":"cpu_op","name":"triton","pid":9,"tid":9,"ts":1,"dur":2,"args":{"stream":0}})"})));
    CHECK(job.kernels().size() == 1);
}

TEST_CASE("a bare list of events is a trace; a base time is optional and may come last", "[kineto]") {
    const Imported bare(fmt::format("[{}]", kernelEvent("a")));
    CHECK(bare.kernels().size() == 1);
    CHECK_FALSE(bare.profile().ranks().at(0).baseTime);
    const Imported late(trace(kernelEvent("a"), "", R"(,"baseTimeNanoseconds": 1711964646000000000)"));
    CHECK(late.profile().ranks().at(0).baseTime == 1711964646000000000);
}

TEST_CASE("rank and world size that no file tells stay unknown", "[kineto]") {
    const RankInfo rank = Imported(trace(kernelEvent("a"))).profile().ranks().at(0);
    CHECK_FALSE(rank.rank);
    CHECK_FALSE(rank.worldSize);
}

TEST_CASE("a kernel with a negative duration is kept with 0 and counted", "[kineto]") {
    const Imported job(
        trace(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":-2,"args":{"device":0}})"));
    REQUIRE(job.kernels().size() == 1);
    CHECK(job.kernels()[0].row.duration == 0);
    CHECK_THAT(job.warnings(), Catch::Contains("negative"));
}

TEST_CASE("a time or an id that fits no 64 bits is an error of that event alone", "[kineto]") {
    const Imported job(trace(joined({kernelEvent("a", "99999999999999999999999"), kernelEvent("b", "2")})));
    REQUIRE(job.kernels().size() == 1);
    CHECK(job.kernels()[0].name == "b");
    CHECK_THAT(job.warnings(), Catch::Contains("no readable time"));
    const Imported id(trace(kernelEvent("a", "1", R"(,"graph node id":99999999999999999999999)")));
    REQUIRE(id.kernels().size() == 1);
    CHECK_FALSE(id.kernels()[0].row.graphNode);
}

TEST_CASE("flow ids beyond 2^31 and flows without partner are no obstacle", "[kineto]") {
    const Imported job(trace(
        joined({R"({"ph":"s","id":4294967297,"pid":1,"tid":1,"ts":1,"cat":"ac2g","name":"ac2g"})", kernelEvent("a")})));
    CHECK(job.kernels().size() == 1);
}

TEST_CASE("environment variables of a trace do not reach the profile", "[kineto][privacy]") {
    const Imported job(trace(kernelEvent("a"), R"("SECRET_TOKEN":"hunter2","username":"someone",)"));
    for (const auto& entry : job.profile().metadata()) {
        CHECK_THAT(entry.key + entry.value, !Catch::Contains("hunter2") && !Catch::Contains("someone"));
    }
}

TEST_CASE("brackets nested a hundred thousand deep end in an answer, not in a crash", "[kineto][hostile]") {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const Imported job(trace(joined(
        {kernelEvent("a", "1"), kernelEvent("b", "2", fmt::format(R"(,"x":{})", deep)), kernelEvent("c", "3")})));
    CHECK(job.kernels().size() >= 2);
    CHECK_THAT(job.warnings(), Catch::Contains("event"));
}
