// Profiles of several processes become one: ids are given anew, clocks aligned, steps and collectives derived.
#include <catch2/catch.hpp>

#include "data/store/profile.hpp"
#include "importers/import_paths.hpp"
#include "importers/orrery_profile/clock_alignment.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using namespace orrery::test;

namespace {

constexpr std::int64_t kUnix = 1'700'000'000'000'000'000;

/// A record of one process whose clock reads `clockStart` at unix time kUnix, with one step and one all-reduce.
void record(const std::filesystem::path& file, std::int64_t rank, std::int64_t clockStart) {
    ProfileWriter writer(file, WriteMode::live);
    RankRow row;
    row.file = file.filename().string();
    row.source = "orrery";
    row.rank = rank;
    row.worldSize = 2;
    const auto id = writer.addRank(row);
    writer.addClockSample({id, clockStart, kUnix, clockStart, {}, 80});
    writer.addClockSample({id, clockStart + 1'000'000, kUnix + 1'000'000, clockStart + 1'000'000, {}, 60});
    const auto domain = writer.string("orrery");
    const std::vector<PayloadField> stepFields{{"step", "int64"}};
    const std::vector<PayloadField> commFields{{"class", "int64"}, {"bytes", "int64"}, {"group_size", "int64"}};
    const auto stepSchema = writer.addPayloadSchema(domain, "orrery.step", stepFields);
    const auto commSchema = writer.addPayloadSchema(domain, "orrery.comm", commFields);
    RangeRow range;
    range.rankId = id;
    range.domainId = domain;
    range.nameId = writer.string("step");
    range.start = clockStart + 100;
    range.duration = 500;
    writer.addPayload({writer.addRange(range), stepSchema, {std::int64_t{4}}});
    range.nameId = writer.string("all_reduce");
    range.start = clockStart + 200;
    range.duration = 50;
    writer.addPayload({writer.addRange(range),
                       commSchema,
                       {static_cast<std::int64_t>(OpClass::allReduce), std::int64_t{4096}, std::int64_t{2}}});
    writer.setLoss(id, "ring_full", 3 + rank);
    writer.commit();
}

}  // namespace

TEST_CASE("records of two processes become one job on one axis", "[orrery_profile]") {
    const TempFolder folder;
    std::filesystem::create_directory(folder / "run");
    record(folder / "run/a.db", 0, 5'000);
    record(folder / "run/b.db", 1, 9'000'000);
    {
        ProfileWriter writer(folder / "job.db");
        CHECK(importers::importPaths({folder / "run"}, writer, {}).files.size() == 2);
        writer.finish();
    }
    const Profile job(folder / "job.db");
    const auto ranks = job.ranks();
    REQUIRE(ranks.size() == 2);
    CHECK(ranks[0].id != ranks[1].id);
    const auto steps = job.steps();
    REQUIRE(steps.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(steps[i].step == 4);
        CHECK(steps[i].start + ranks[i].clockOffset == kUnix + 100);  // both began at the same moment
        CHECK(ranks[i].clockUncertainty == 60);
    }
    std::vector<std::int64_t> bytes;
    job.forEachCollective([&](const CollectiveView& view) {
        CHECK(view.kind == OpClass::allReduce);
        CHECK(view.groupSize == 2);
        bytes.push_back(view.bytes.value_or(-1));
    });
    CHECK(bytes == std::vector<std::int64_t>{4096, 4096});
    const auto losses = job.losses();
    REQUIRE(losses.size() == 2);
    CHECK(losses[0].count + losses[1].count == 7);
}

TEST_CASE("importing an imported profile changes nothing in it", "[orrery_profile]") {
    const TempFolder folder;
    record(folder / "a.db", 0, 5'000);
    const auto import = [&](const std::string& from, const std::string& to) {
        ProfileWriter writer(folder / to);
        importers::importPaths({folder / from}, writer, {});
        writer.finish();
    };
    import("a.db", "once.db");
    import("once.db", "twice.db");
    const Profile once(folder / "once.db");
    const Profile twice(folder / "twice.db");
    CHECK(once.ranks().at(0).clockOffset == twice.ranks().at(0).clockOffset);
    for (const char* table : {"ranks", "ranges", "payloads", "collectives", "steps"}) {
        CAPTURE(table);
        CHECK(once.count(table) == twice.count(table));
    }
}

TEST_CASE("clocks that disagree widen the uncertainty; no samples give no alignment", "[orrery_profile]") {
    const std::vector<ClockSampleRow> samples{{1, 0, 1000, 0, {}, 10}, {1, 100, 1300, 0, {}, 10}, {2, 0, 7, 0, {}, 5}};
    const auto alignment = importers::alignToUnixTime(samples, 1);
    REQUIRE(alignment);
    CHECK(alignment->uncertainty == 100);
    CHECK_FALSE(importers::alignToUnixTime(samples, 3));
}
