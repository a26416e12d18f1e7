// Recorded profiles as timelines: common clock, steps, waits told from both ends of a transfer, device traces.
#include "data/timeline/measured_timeline.hpp"

#include <filesystem>
#include <vector>

#include <catch2/catch.hpp>

#include "data/timeline/comm_waits.hpp"
#include "model/compare/comparison.hpp"
#include "model/timeline/step_window.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/annotated_profile.hpp"

using namespace orrery;

namespace {

/// A profile file that is gone at the end of the test.
struct TemporaryFile {
    std::filesystem::path path;
    explicit TemporaryFile(const std::string& name) : path(std::filesystem::temp_directory_path() / name) {
        std::filesystem::remove(path);
    }
    ~TemporaryFile() { std::filesystem::remove(path); }
};

std::vector<Span> spansOf(const Timeline& timeline, int rank, Lane lane, Phase phase) {
    std::vector<Span> spans;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const Track& track = timeline.tracks[span.track];
        if (track.rank == rank && track.lane == lane && span.phase == phase) spans.push_back(span);
    }
    return spans;
}

CommRecord end(int rank, CommEnd which, std::int64_t peer, std::int64_t start, std::int64_t duration) {
    CommRecord record;
    record.rank = rank;
    record.end = which;
    record.peer = peer;
    record.step = 0;
    record.start = start;
    record.duration = duration;
    return record;
}

}  // namespace

TEST_CASE("A transfer waits until both ends are there", "[timeline][waits]") {
    // Receiver early: it waits 40. Sender early and blocked: it waits 30. Sender early but buffered: no wait.
    const auto early = commWaits({end(0, CommEnd::send, 1, 140, 20), end(1, CommEnd::receive, 0, 100, 65)}, 2);
    CHECK(early == std::vector<std::int64_t>{0, 40});
    const auto blocked = commWaits({end(0, CommEnd::send, 1, 100, 50), end(1, CommEnd::receive, 0, 130, 25)}, 2);
    CHECK(blocked == std::vector<std::int64_t>{30, 0});
    const auto buffered = commWaits({end(0, CommEnd::send, 1, 100, 5), end(1, CommEnd::receive, 0, 130, 25)}, 2);
    CHECK(buffered == std::vector<std::int64_t>{0, 0});
    // The other end was not recorded: nothing is known. A wait never exceeds its range, whatever the clocks say.
    CHECK(commWaits({end(1, CommEnd::receive, 0, 100, 65)}, 2) == std::vector<std::int64_t>{0});
    const auto skewed = commWaits({end(0, CommEnd::send, 1, 900, 20), end(1, CommEnd::receive, 0, 100, 65)}, 2);
    CHECK(skewed == std::vector<std::int64_t>{0, 65});
}

TEST_CASE("The k-th send meets the k-th receive", "[timeline][waits]") {
    const auto waits = commWaits({end(0, CommEnd::send, 1, 50, 10), end(0, CommEnd::send, 1, 200, 10),
                                  end(1, CommEnd::receive, 0, 0, 60), end(1, CommEnd::receive, 0, 100, 110)},
                                 2);
    CHECK(waits == std::vector<std::int64_t>{0, 0, 50, 100});
}

TEST_CASE("A collective starts when its last member arrives; groups of different stages do not mix",
          "[timeline][waits]") {
    std::vector<CommRecord> records;
    for (const auto& [rank, stage, start] : {std::tuple(0, 0, 100), {1, 0, 130}, {2, 1, 500}, {3, 1, 510}}) {
        CommRecord record = end(rank, CommEnd::collective, -1, start, 100);
        record.cls = OpClass::allReduce;
        record.groupSize = 2;
        record.sequence = 3;
        record.stage = stage;
        records.push_back(record);
    }
    CHECK(commWaits(records, 4) == std::vector<std::int64_t>{30, 0, 10, 0});
    for (auto& record : records)
        record.groupSize = 4;  // now one group over both stages; arrivals beyond the range clamp
    CHECK(commWaits(records, 4) == std::vector<std::int64_t>{100, 100, 10, 0});
    records.pop_back();  // a member is missing: who arrived last is not known
    CHECK(commWaits(records, 4) == std::vector<std::int64_t>{0, 0, 0});
}

TEST_CASE("An annotated profile becomes tracks per rank on the common clock", "[timeline]") {
    const TemporaryFile file("orrery_timeline_test.db");
    test::writePipelineJob(file.path, 3, 2);
    const MeasuredTimeline measured = readMeasuredTimeline(Profile(file.path));
    CHECK(measured.annotated);
    CHECK(measured.worldSize == 2);
    CHECK(measured.warnings.empty());
    const Timeline& timeline = measured.timeline;
    CHECK(ranksOf(timeline) == std::vector{0, 1});
    CHECK(commonSteps(timeline) == std::vector{0, 1, 2});
    CHECK(timeline.extent().first == 0);
    for (const int rank : {0, 1}) {
        CHECK(spansOf(timeline, rank, Lane::step, Phase::step).front().start == 0);  // 5 ms clock offset applied
        CHECK(spansOf(timeline, rank, Lane::task, Phase::forward).size() == 6);
        CHECK(spansOf(timeline, rank, Lane::task, Phase::optimizer).size() == 3);
    }
    // Step 0: five slots of 200 us. Rank 1 posts its first receive at 0, rank 0 sends at 180 us.
    const auto waits = spansOf(timeline, 1, Lane::task, Phase::wait);
    REQUIRE(!waits.empty());
    CHECK(waits.front().start == 0);
    CHECK(waits.front().duration == 180'000);
    CHECK(timeline.names.text(waits.front().name) == "wait: warm-up");
    const auto ops = spansOf(timeline, 1, Lane::op, Phase::backward);
    REQUIRE(ops.size() == 6);
    CHECK(ops.front().microBatch == 0);
    CHECK(ops.front().cls == OpClass::gemm);
    for (const auto& track : timeline.tracks) CHECK(track.stage == track.rank);
}

TEST_CASE("Shares of a recorded job add up to its steps", "[timeline][compare]") {
    const TemporaryFile file("orrery_shares_test.db");
    test::writePipelineJob(file.path, 4, 3);
    const auto measured = readMeasuredTimeline(Profile(file.path));
    const Comparison summary = summarize(measured.timeline);
    CHECK(summary.steps == std::vector{1, 2, 3});
    CHECK(summary.medianStep == 2);
    CHECK(summary.overall.step.measured.value() == Approx(1020e-6));
    for (const auto& table : summary.ranks) {
        Seconds phases{}, classes{};
        for (const auto& row : table.phases) phases += row.measured;
        for (const auto& row : table.classes) classes += row.measured;
        CHECK(phases.value() == Approx(1020e-6));
        CHECK(classes.value() == Approx(1020e-6));
    }
}

TEST_CASE("Open ranges and ranges with a wrong payload are counted, not trusted", "[timeline]") {
    const TemporaryFile file("orrery_open_test.db");
    {
        test::AnnotatedProfile job(file.path, {0});
        job.step(0, 0, 0, 100);
        job.task(0, Phase::forward, 0, 0, 10, 50);
        job.range(0, "task", "task", "mystery", 60, 10, {0, 999, 0, 0, 0, 0, 0, 0});
        job.step(0, 1, 100, -1);  // killed inside step 1
        job.writer().finish();
    }
    const auto measured = readMeasuredTimeline(Profile(file.path));
    REQUIRE(measured.warnings.size() == 2);
    CHECK(measured.warnings[0].find("1 range(s) were open") != std::string::npos);
    CHECK(measured.warnings[1].find("1 range(s) have a payload") != std::string::npos);
    CHECK(commonSteps(measured.timeline) == std::vector{0});
}

TEST_CASE("A device trace has a track per stream; time without a kernel is idle", "[timeline]") {
    const TemporaryFile file("orrery_device_test.db");
    {
        ProfileWriter writer(file.path);
        RankRow rank;
        rank.file = "trace.json";
        rank.source = "kineto";
        const auto id = writer.addRank(rank);
        KernelRow kernel;
        kernel.rankId = id;
        kernel.stream = 7;
        kernel.start = 1000;
        kernel.duration = 400;
        kernel.cls = OpClass::gemm;
        kernel.nameId = writer.string("sgemm");
        writer.addKernel(kernel);
        kernel.stream = 20;
        kernel.start = 1300;
        kernel.duration = 300;
        kernel.cls = OpClass::allReduce;
        kernel.nameId = writer.string("ncclAllReduce");
        writer.addKernel(kernel);
        writer.addStep({id, 5, 900, 1000});
        writer.finish();
    }
    const auto measured = readMeasuredTimeline(Profile(file.path));
    CHECK_FALSE(measured.annotated);
    const Comparison summary = summarize(measured.timeline, {.skipSteps = 0});
    CHECK(summary.medianStep == 5);
    const auto of = [&](std::string_view row) {
        for (const auto& r : summary.overall.classes) {
            if (r.name == row) return toNanoseconds(r.measured);
        }
        return std::int64_t{0};
    };
    CHECK(of("gemm") == 400);        // runs over the all-reduce
    CHECK(of("all_reduce") == 200);  // only what nothing hides
    CHECK(of("wait") == 400);
}

TEST_CASE("A profile with nothing to show says so", "[timeline]") {
    const TemporaryFile file("orrery_nothing_test.db");
    {
        ProfileWriter writer(file.path);
        writer.addRank({});
        writer.finish();
    }
    CHECK_THROWS_AS(readMeasuredTimeline(Profile(file.path)), InputError);
}
