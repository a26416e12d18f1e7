// Clocks of ranks from the ends of their collectives: the estimate alone, and through an import of recordings.
#include "data/clock/rank_clocks.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "data/store/profile.hpp"
#include "importers/import_paths.hpp"
#include "tests/support/temp_folder.hpp"

namespace orrery::test {
namespace {

/// Ends of `count` collectives over groups of clocks: 1 ms apart, each clock some microseconds late, a few very late.
std::vector<CollectiveEnd> simulate(const std::vector<std::int64_t>& offsets,
                                    const std::vector<std::vector<std::size_t>>& groups, int count, unsigned seed) {
    std::mt19937 random(seed);
    std::exponential_distribution<double> late(1.0 / 3000.0);  // 3 us
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::vector<CollectiveEnd> ends;
    std::uint64_t number = 0;
    for (int i = 0; i < count; ++i) {
        for (const auto& group : groups) {
            ++number;
            const std::int64_t moment = 1'700'000'000'000'000'000 + static_cast<std::int64_t>(number) * 1'000'000;
            for (const std::size_t clock : group) {
                double delay = late(random);
                if (uniform(random) < 0.02) delay += 5e6;  // descheduled
                ends.push_back({number, clock, moment + static_cast<std::int64_t>(delay) - offsets[clock]});
            }
        }
    }
    return ends;
}

}  // namespace

TEST_CASE("injected offsets of +-500 us are recovered within 10 us", "[clock]") {
    const std::vector<std::int64_t> offsets{0, 500'000, -500'000, 123'456};
    const auto ends = simulate(offsets, {{0, 1, 2, 3}}, 400, 7);
    const auto estimates = estimateClocks(ends, 4);
    for (std::size_t clock = 0; clock < 4; ++clock) {
        REQUIRE(estimates[clock].has_value());
        CAPTURE(clock, estimates[clock]->correction, estimates[clock]->uncertainty);
        const auto error = std::abs(estimates[clock]->correction - offsets[clock]);
        CHECK(error <= 10'000);
        CHECK(error <= 3 * estimates[clock]->uncertainty);
        CHECK(estimates[clock]->uncertainty < 50'000);
        CHECK(estimates[clock]->collectives == 400);
    }
}

TEST_CASE("clocks that never meet are aligned through those between them", "[clock]") {
    const std::vector<std::int64_t> offsets{0, 400'000, -300'000, 200'000, -100'000};
    const auto ends = simulate(offsets, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, 300, 11);
    const auto estimates = estimateClocks(ends, 5);
    for (std::size_t clock = 0; clock < 5; ++clock) {
        REQUIRE(estimates[clock].has_value());
        CHECK(std::abs(estimates[clock]->correction - offsets[clock]) <= 10'000);
    }
}

TEST_CASE("clocks without shared collectives get no estimate; each connected group has its own reference", "[clock]") {
    const auto ends = simulate({0, 50'000, 0, 70'000, 0}, {{0, 1}, {2, 3}}, 100, 3);
    const auto estimates = estimateClocks(ends, 5);
    CHECK(estimates[0]->correction == 0);
    CHECK(estimates[2]->correction == 0);
    CHECK(std::abs(estimates[3]->correction - 70'000) <= 10'000);
    CHECK_FALSE(estimates[4].has_value());
    CHECK_FALSE(estimateClocks(simulate({0, 5}, {{0, 1}}, kFewestCollectives - 1, 1), 2)[1].has_value());
    CHECK(estimateClocks({}, 0).empty());
}

TEST_CASE("shifting a clock shifts its correction by as much", "[clock]") {
    rc::prop("shift", [] {
        const auto shift = *rc::gen::inRange<std::int64_t>(-100'000'000, 100'000'000);
        const auto seed = *rc::gen::inRange(1U, 1000U);
        const auto before = estimateClocks(simulate({0, 0, 0}, {{0, 1, 2}}, 50, seed), 3);
        const auto after = estimateClocks(simulate({0, shift, 0}, {{0, 1, 2}}, 50, seed), 3);
        RC_ASSERT(std::abs(after[1]->correction - before[1]->correction - shift) <= 20'000);
    });
}

TEST_CASE("an import of recordings from several hosts aligns them by their collectives and says how well", "[clock]") {
    const TempFolder folder;
    const std::vector<std::int64_t> offsets{0, 500'000, -500'000};
    std::mt19937 random(5);
    std::uniform_int_distribution<std::int64_t> late(0, 4000);
    for (std::size_t rank = 0; rank < offsets.size(); ++rank) {
        ProfileWriter writer(folder / ("rank" + std::to_string(rank) + ".db"));
        RankRow row;
        row.file = "x";
        row.source = "orrery";
        row.rank = static_cast<std::int64_t>(rank);
        row.worldSize = 3;
        row.host = "node" + std::to_string(rank);
        const auto id = writer.addRank(row);
        // Unix time as this host believes it; its profile's clock began an hour of rank number ago.
        const std::int64_t base = 1'700'000'000'000'000'000 - static_cast<std::int64_t>(rank) * 3'600'000'000'000;
        writer.addClockSample({id, 1000, base + 1000, 0, {}, 100});
        const std::vector<PayloadField> fields{{"NCCL communicator ID", "int64"}, {"Message size [bytes]", "int64"}};
        const auto domain = writer.string("NCCL");
        const auto schema = writer.addPayloadSchema(domain, "ncclAllReduce", fields);
        for (std::int64_t i = 0; i < 200; ++i) {
            const std::int64_t moment = 1'700'000'100'000'000'000 + i * 3'000'000 + late(random);
            const std::int64_t end = moment - offsets[rank] - base;
            RangeRow range;
            range.rankId = id;
            range.thread = 42;
            range.start = end - 900'000;
            range.duration = 20'000;
            range.domainId = domain;
            range.nameId = writer.string("ncclAllReduce");
            const auto rangeId = writer.addRange(range);
            writer.addPayload({rangeId, schema, {std::int64_t{77}, std::int64_t{1 << 20}}});
            writer.addApiCall({id, 42, end - 895'000, 5000, writer.string("cudaLaunchKernelExC"), i + 1});
            KernelRow kernel;
            kernel.rankId = id;
            kernel.start = end - 700'000;
            kernel.duration = 700'000;
            kernel.nameId = writer.string("ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
            kernel.correlation = i + 1;
            writer.addKernel(kernel);
        }
        writer.finish();
    }
    {
        ProfileWriter job(folder / "job.db");
        importers::importPaths({folder / "rank0.db", folder / "rank1.db", folder / "rank2.db"}, job, {});
        job.finish();
    }
    const Profile profile(folder / "job.db");
    const auto ranks = profile.ranks();
    REQUIRE(ranks.size() == 3);
    for (std::size_t rank = 0; rank < 3; ++rank) {
        const std::int64_t truth =
            1'700'000'000'000'000'000 - static_cast<std::int64_t>(rank) * 3'600'000'000'000 + offsets[rank];
        CAPTURE(rank, ranks[rank].clockOffset - truth, ranks[rank].clockUncertainty.value_or(-1));
        CHECK(std::abs(ranks[rank].clockOffset - truth) <= 10'000);
        CHECK(ranks[rank].clockUncertainty.value_or(0) > 0);
        CHECK(ranks[rank].clockUncertainty.value_or(0) < 10'000);
    }
    CHECK(profile.count("collectives") == 600);
    profile.forEachCollective([](const CollectiveView& view) { REQUIRE(view.bytes == 1 << 20); });
    bool said = false;
    for (const auto& entry : profile.metadata()) {
        said |= entry.key == "clock" && entry.value.find("ends of 200 collectives") != std::string::npos;
    }
    CHECK(said);
}

}  // namespace orrery::test
