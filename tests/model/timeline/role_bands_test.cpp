#include "model/timeline/role_bands.hpp"

#include <catch2/catch.hpp>

using namespace orrery;

TEST_CASE("Ranks of a stage become one band from the first to the last of them", "[timeline]") {
    Timeline timeline;
    const auto name = timeline.names.intern("forward");
    for (int rank = 0; rank < 4; ++rank) {
        const auto track = timeline.addTrack({rank, Lane::task, rank / 2, -1, -1, ""});
        for (int m = 0; m < 3; ++m) {
            Span span;
            span.track = track;
            span.start = m * 100 + rank;
            span.duration = rank == 1 && m == 2 ? 90 : 50;
            span.phase = Phase::forward;
            span.name = name;
            span.microBatch = m;
            timeline.add(span);
        }
    }
    const auto bands = roleBands(timeline);
    REQUIRE(bands.size() == 2);
    CHECK(bands[0].ranks == std::vector<int>{0, 1});
    CHECK(bands[1].stage == 1);
    REQUIRE(bands[0].spans.size() == 3);
    const BandSpan& last = bands[0].spans[2];
    CHECK(last.firstStart == 200);
    CHECK(last.lastStart == 201);
    CHECK(last.firstEnd == 250);
    CHECK(last.lastEnd == 291);
    CHECK(last.ranks == 2);
    CHECK(timeline.tracks[timeline.span(last.slowest).track].rank == 1);
    CHECK(roleBands(Timeline()).empty());
}

TEST_CASE("A task that a rank runs twice in a step is two tasks of the band", "[timeline]") {
    Timeline timeline;
    const auto name = timeline.names.intern("forward");
    for (int rank = 0; rank < 2; ++rank) {
        const auto track = timeline.addTrack({rank, Lane::task, -1, -1, -1, ""});
        for (int chunk = 0; chunk < 2; ++chunk) {
            Span span;
            span.track = track;
            span.start = chunk * 100 + rank * 10;
            span.duration = 40;
            span.phase = Phase::forward;
            span.name = name;
            span.microBatch = 0;
            timeline.add(span);
        }
    }
    const auto bands = roleBands(timeline);
    REQUIRE(bands.size() == 1);
    REQUIRE(bands[0].spans.size() == 2);
    CHECK(bands[0].spans[1].firstStart == 100);
    CHECK(bands[0].spans[1].lastEnd == 150);
}
