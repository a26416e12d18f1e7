// Times and ranks that a trace leaves open or gets wrong.
#include <catch2/catch.hpp>

#include "tests/importers/imported.hpp"

using namespace orrery;
using namespace orrery::test;

namespace {

std::int64_t loss(const Imported& job, std::string_view kind) {
    for (const auto& entry : job.profile().losses()) {
        if (entry.kind == kind) return entry.count;
    }
    return -1;
}

std::string longKernel(const std::string& name, int start, int duration) {
    return fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7}}}})",
        name, start, duration);
}

}  // namespace

TEST_CASE("a kernel without a duration is kept, counted and told", "[kineto][malformed]") {
    const Imported job(
        trace(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"args":{"device":0,"stream":7}})"));
    CHECK(job.kernels().size() == 1);
    CHECK(loss(job, "kernels_without_duration") == 1);
    CHECK_THAT(job.warnings(), Catch::Contains("no duration"));
}

TEST_CASE("impossible durations are flagged, small legal overlaps are not (TraceLens #669, kineto #136)",
          "[kineto][malformed]") {
    // 31 s long, while the next kernel on the same stream starts after 50 us.
    const Imported broken(
        trace(joined({longKernel("a", 0, 31'000'000), longKernel("b", 50, 40), longKernel("c", 100, 40)})));
    CHECK(loss(broken, "kernels_overrunning_their_stream") == 1);
    CHECK_THAT(broken.warnings(), Catch::Contains("durations cannot be"));
    // Programmatic dependent launch: the next kernel starts a few microseconds before the end.
    const Imported legal(
        trace(joined({longKernel("a", 0, 2000), longKernel("b", 1990, 2000), longKernel("c", 3985, 10)})));
    CHECK(loss(legal, "kernels_overrunning_their_stream") == 0);
    CHECK(legal.warnings().empty());
}

TEST_CASE("several events clamped to time 0 are all kept", "[kineto][malformed]") {
    CHECK(Imported(trace(joined({kernelEvent("a", "0"), kernelEvent("b", "0"), kernelEvent("c", "0")})))
              .kernels()
              .size() == 3);
}

TEST_CASE("two ranks written into one file, interleaved, give every complete event (TensorRT-LLM #13536)",
          "[kineto][malformed]") {
    const std::string torn = kernelEvent("torn").substr(0, 40);
    const Imported job(trace(joined({kernelEvent("a", "1"), kernelEvent("b", "2")}) + "," + torn +
                             kernelEvent("c", "3") + "," + kernelEvent("d", "4")));
    std::vector<std::string> names;
    for (const auto& kernel : job.kernels()) names.push_back(kernel.name);
    CHECK(std::count(names.begin(), names.end(), "a") == 1);
    CHECK(std::count(names.begin(), names.end(), "b") == 1);
    CHECK(std::count(names.begin(), names.end(), "d") == 1);
    CHECK_FALSE(job.warnings().empty());
}

TEST_CASE("ranks with different base times meet on one axis", "[kineto][clocks]") {
    const TempFolder folder;
    folder.write("r0.json",
                 trace(kernelEvent("a", "500"), R"("baseTimeNanoseconds":1000000,"distributedInfo":{"rank":0},)"));
    folder.write("r1.json",
                 trace(kernelEvent("a", "100"), R"("baseTimeNanoseconds":1400000,"distributedInfo":{"rank":1},)"));
    const TempFolder out;
    {
        ProfileWriter writer(out / "job.db");
        importers::importPaths({folder.path()}, writer, {});
        writer.finish();
    }
    const Profile profile(out / "job.db");
    std::vector<std::int64_t> starts;
    const auto ranks = profile.ranks();
    profile.forEachKernel([&](const KernelView& kernel) {
        for (const auto& rank : ranks) {
            if (rank.id == kernel.rankId) starts.push_back(kernel.start + rank.clockOffset);
        }
    });
    REQUIRE(starts.size() == 2);
    CHECK(starts[0] == starts[1]);
}

TEST_CASE("files that do not say their rank are kept apart and told", "[kineto]") {
    const TempFolder folder;
    folder.write("x.json", trace(kernelEvent("a")));
    folder.write("y.json", trace(kernelEvent("b")));
    const TempFolder out;
    ProfileWriter writer(out / "job.db");
    const auto summary = importers::importPaths({folder.path()}, writer, {});
    writer.finish();
    REQUIRE(summary.warnings.size() == 1);
    CHECK_THAT(summary.warnings.front().text, Catch::Contains("2 of 2 files do not say which rank"));
}
