#include "model/timeline/range_histogram.hpp"

#include <catch2/catch.hpp>

using namespace orrery;

namespace {

void add(Timeline& timeline, std::uint32_t track, std::int64_t start, std::int64_t duration, std::uint32_t name) {
    Span span;
    span.track = track;
    span.start = start;
    span.duration = duration;
    span.name = name;
    timeline.add(span);
}

}  // namespace

TEST_CASE("A histogram counts every span of the name in the range once, and knows the longest of each bin",
          "[timeline]") {
    Timeline timeline;
    const auto kernels = timeline.addTrack({0, Lane::kernel, -1, 0, 7, ""});
    const auto tasks = timeline.addTrack({0, Lane::task, 0, -1, -1, ""});
    const auto a = timeline.names.intern("a");
    const auto b = timeline.names.intern("b");
    for (int i = 0; i < 90; ++i) add(timeline, kernels, i * 1000, 10, a);
    for (int i = 0; i < 9; ++i) add(timeline, kernels, 100'000 + i * 1000, 100, a);
    add(timeline, kernels, 150'000, 1000, a);
    add(timeline, kernels, 160'000, 5000, b);
    add(timeline, tasks, 0, 77, a);
    const auto bins = rangeHistogram(timeline, {Lane::kernel, a, 0, 200'000}, 20);
    REQUIRE(bins.size() == 20);
    std::int64_t sum = 0;
    for (const auto& bin : bins) sum += bin.count;
    CHECK(sum == 100);
    CHECK(bins.front().count == 90);
    CHECK(bins.front().from == 10);
    CHECK(bins.back().count == 1);
    CHECK(bins.back().to == 1000);
    CHECK(bins.back().longest == 99);
    CHECK(rangeHistogram(timeline, {Lane::kernel, {}, 155'000, 170'000}, 20).size() == 1);
    CHECK(rangeHistogram(timeline, {Lane::kernel, a, 170'000, 180'000}, 20).empty());
}
