// Annotated profiles as replay input: recorded jobs of one thread a process, and profiles that are no such job.
#include "data/replay/replay_input.hpp"

#include <catch2/catch.hpp>

#include "model/replay/straggler_analysis.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/annotated_profile.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

/// Two stages that never idle, two micro-batches, one thread a process; a step takes 1330 us. Sends are copies of 5 us,
/// a message needs 5 us more to arrive.
void writeSequentialJob(const std::filesystem::path& file, int steps) {
    test::AnnotatedProfile job(file, {0, 1'000'000});
    for (int s = 0; s < steps; ++s) {
        const double at = 5000.0 * s, other = at - 1000.0;  // rank 1's clock is 1 ms behind
        const auto transfer = [&](int rank, const char* name, int microBatch, double start, double end) {
            job.transfer(rank, name, 1 - rank, s, microBatch, (rank == 0 ? at : other) + start, end - start);
        };
        const auto pass = [&](int rank, Phase phase, int microBatch, double start, double end) {
            job.task(rank, phase, s, microBatch, (rank == 0 ? at : other) + start, end - start);
        };
        pass(0, Phase::forward, 0, 0, 100);
        transfer(0, "send", 0, 100, 105);
        pass(0, Phase::forward, 1, 105, 205);
        transfer(0, "send", 1, 205, 210);
        transfer(0, "recv", 0, 210, 520);
        pass(0, Phase::backward, 0, 520, 720);
        transfer(0, "recv", 1, 720, 1030);
        pass(0, Phase::backward, 1, 1030, 1230);
        pass(0, Phase::optimizer, -1, 1230, 1330);
        transfer(1, "recv", 0, 0, 110);
        pass(1, Phase::forward, 0, 110, 310);
        pass(1, Phase::backward, 0, 310, 510);
        transfer(1, "send", 0, 510, 515);
        transfer(1, "recv", 1, 515, 520);  // was sent long ago
        pass(1, Phase::forward, 1, 520, 720);
        pass(1, Phase::backward, 1, 720, 1020);
        transfer(1, "send", 1, 1020, 1025);
        pass(1, Phase::optimizer, -1, 1025, 1125);
    }
    job.writer().finish();
}

}  // namespace

TEST_CASE("A recorded job of one thread a process is replayed in the order of its ops", "[replay][data]") {
    const test::TempFolder folder;
    writeSequentialJob(folder / "job.db", 3);
    const auto input = readReplayInput(Profile(folder / "job.db"), 1);
    CHECK(input.job.dp == 1);
    CHECK(input.job.pp == 2);
    CHECK(input.job.steps == std::vector<std::int64_t>{1, 2});
    CHECK(input.job.sequential);
    CHECK(input.job.bufferedSends);
    const ReplayGraph graph(input.job);
    CHECK(graph.warnings().empty());
    for (std::size_t id = 0; id < graph.job().ops.size(); ++id) {
        if (graph.type(graph.job().ops[id]).scope == SyncScope::pair) CHECK(graph.recorded()[id] == 5000.0);
    }
    const auto analysis = analyseStragglers(graph);
    CHECK(analysis.recorded == Approx(1330e-6));
    CHECK(analysis.noDelay == Approx(1330e-6));
    CHECK_THROWS_WITH(readReplayInput(Profile(folder / "job.db"), 3), Contains("--skip-steps 3 leaves none"));
}

TEST_CASE("Profiles that are no pipeline job are refused with the mend", "[replay][data]") {
    const test::TempFolder folder;
    const auto refuse = [&](const char* says) {
        INFO(says);
        CHECK_THROWS_WITH(readReplayInput(Profile(folder / "job.db")), Contains(says));
    };
    {
        test::AnnotatedProfile job(folder / "job.db", {0, 0});
        job.step(0, 0, 0, 100);
        job.writer().finish();
    }
    refuse("record an annotated job");
    {
        test::AnnotatedProfile job(folder / "job.db", {0, 0, 0});
        job.task(0, Phase::forward, 0, 0, 0, 100);
        job.task(2, Phase::forward, 0, 0, 0, 100);  // stage 2; stage 1 is not there
        job.writer().finish();
    }
    refuse("import every rank");
    {
        test::AnnotatedProfile job(folder / "job.db", {0});
        job.task(0, Phase::forward, 0, 0, 0, 100);
        RankRow again;
        again.file = "other.db";
        again.rank = 0;
        job.writer().addRank(again);
        job.writer().finish();
    }
    refuse("more than one job");
}
