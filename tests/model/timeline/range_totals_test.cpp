#include "model/timeline/range_totals.hpp"

#include <catch2/catch.hpp>

using namespace orrery;

namespace {

Span spanOf(std::uint32_t track, std::int64_t start, std::int64_t duration, std::uint32_t name) {
    Span span;
    span.track = track;
    span.start = start;
    span.duration = duration;
    span.name = name;
    return span;
}

}  // namespace

TEST_CASE("Totals of a range count only the parts inside it, by lane and name, largest first", "[timeline]") {
    Timeline timeline;
    const auto tasks = timeline.addTrack({0, Lane::task, -1, -1, -1, ""});
    const auto ops = timeline.addTrack({0, Lane::op, -1, -1, -1, ""});
    const auto a = timeline.names.intern("a");
    const auto b = timeline.names.intern("b");
    timeline.add(spanOf(tasks, 0, 100, a));
    timeline.add(spanOf(tasks, 200, 100, a));
    timeline.add(spanOf(ops, 50, 10, a));
    timeline.add(spanOf(ops, 120, 40, b));
    timeline.add(spanOf(ops, 900, 50, b));
    const auto totals = rangeTotals(timeline, 50, 250);
    REQUIRE(totals.size() == 3);
    CHECK(totals[0].lane == Lane::task);
    CHECK(totals[0].count == 2);
    CHECK(totals[0].total == 100);
    CHECK(totals[0].mean() == Approx(50.0));
    CHECK(totals[1].name == b);
    CHECK(totals[1].total == 40);
    CHECK(totals[2].lane == Lane::op);
    CHECK(totals[2].most == 10);
    CHECK(rangeTotals(timeline, 400, 500).empty());
}
