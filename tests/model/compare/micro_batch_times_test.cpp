#include "model/compare/micro_batch_times.hpp"

#include <catch2/catch.hpp>

#include "model/compare/counterparts.hpp"

using namespace orrery;

namespace {

Span task(std::uint32_t track, std::int64_t start, std::int64_t duration, Phase phase, int microBatch, int step) {
    Span span;
    span.track = track;
    span.start = start;
    span.duration = duration;
    span.phase = phase;
    span.microBatch = microBatch;
    span.step = step;
    return span;
}

/// Two ranks, two steps of two micro-batches; step 1 takes twice as long, rank 1 is slow on micro-batch 1.
Timeline job() {
    Timeline timeline;
    static_cast<void>(timeline.names.intern("task"));
    for (int rank = 0; rank < 2; ++rank) {
        const auto track = timeline.addTrack({rank, Lane::task, rank, -1, -1, ""});
        std::int64_t at = 0;
        for (int step = 0; step < 2; ++step) {
            for (int m = 0; m < 2; ++m) {
                const std::int64_t length = (step + 1) * (rank == 1 && m == 1 ? 30 : 10);
                timeline.add(task(track, at, length, Phase::forward, m, step));
                timeline.add(task(track, at + length, 2 * length, Phase::backward, m, step));
                timeline.add(task(track, at + 3 * length, 5, Phase::wait, m, step));
                at += 3 * length + 5;
            }
        }
    }
    return timeline;
}

}  // namespace

TEST_CASE("Times by micro-batch add up forward and backward of one step, and waiting is no work", "[compare]") {
    const MicroBatchTimes times = microBatchTimes(job(), 1);
    REQUIRE(times.ranks == std::vector<int>{0, 1});
    CHECK(times.stages == std::vector<int>{0, 1});
    REQUIRE(times.microBatches == 2);
    CHECK(times.at(0, 0) == 60);
    CHECK(times.at(1, 1) == 180);
    CHECK(times.imbalance(0) == Approx(1.0));
    CHECK(times.imbalance(1) == Approx(180.0 / 120.0));
    CHECK(microBatchTimes(job(), -1).at(0, 0) == 90);
    CHECK(microBatchTimes(Timeline(), 0).microBatches == 0);
}

TEST_CASE("The counterpart of one span is the same work in the step that is asked for", "[compare]") {
    const Timeline timeline = job();
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const auto same = counterpartOf(timeline, row, timeline, 1);
        if (span.phase == Phase::wait) {
            CHECK_FALSE(same);
            continue;
        }
        REQUIRE(same);
        const Span found = timeline.span(*same);
        CHECK(found.step == 1);
        CHECK(found.track == span.track);
        CHECK(found.phase == span.phase);
        CHECK(found.microBatch == span.microBatch);
    }
}
