// Predicted timelines: the same times as the metrics, spans inside the step, tasks that do not overlap.
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include "model/compare/step_shares.hpp"
#include "specs.hpp"

using namespace orrery;

namespace {

Prediction drawn(bool operators, ScheduleKind schedule = ScheduleKind::oneFOneB) {
    ParallelPlan plan = specs::plan(2, 4, 2);
    plan.schedule = schedule;
    plan.recompute = Recompute::full;
    plan.sharding = Sharding::zero1;
    Scenario scenario = specs::scenario(specs::gpt(8, 1024, 16), plan, 1024, 16, 1);
    scenario.workload.replicas[1][3].documents = {512, 512};  // replicas differ
    return predict(scenario, {true, operators});
}

}  // namespace

TEST_CASE("a predicted timeline ends when the step does and shows every task once", "[predict][timeline]") {
    const auto schedule = GENERATE(ScheduleKind::gpipe, ScheduleKind::oneFOneB, ScheduleKind::zbH1);
    const Prediction prediction = drawn(true, schedule);
    const Timeline& timeline = prediction.timeline;
    CHECK(timeline.extent().first == 0);
    CHECK(timeline.extent().second == toNanoseconds(prediction.metrics.step));
    std::map<Phase, int> count;
    std::map<std::uint32_t, std::int64_t> free;  // per task track
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        if (timeline.tracks[span.track].lane != Lane::task) continue;
        ++count[span.phase];
        CHECK(span.start >= free[span.track]);
        free[span.track] = span.end();
    }
    const int tasks = 4 * 2 * 8;  // stages x replicas x micro-batches
    CHECK(count[Phase::forward] == tasks);
    CHECK(count[Phase::backward] == tasks);
    CHECK(count[Phase::recompute] == tasks);
    CHECK(count[Phase::backwardWeight] == (schedule == ScheduleKind::zbH1 ? tasks : 0));
    CHECK(count[Phase::wait] > 0);
}

TEST_CASE("waits and classes of the timeline add up to what the prediction says", "[predict][timeline]") {
    const Prediction prediction = drawn(true);
    double waits = 0.0;
    double gemms = 0.0;
    const std::vector<StepShares> shares = stepShares(prediction.timeline);
    REQUIRE(shares.size() == 8);
    for (const StepShares& rank : shares) {
        CHECK(rank.window.duration() == toNanoseconds(prediction.metrics.step));
        waits += 1e-9 * static_cast<double>(rank.phases[static_cast<std::size_t>(Phase::wait)]) / 8;
        gemms += 1e-9 * static_cast<double>(rank.classes[static_cast<std::size_t>(OpClass::gemm)]) / 8;
    }
    const double step = prediction.metrics.step.value();
    CHECK(waits / step == Approx(prediction.metrics.bubbleFraction).margin(0.002));
    CHECK(gemms > prediction.breakdown.at("gemm").value());  // recomputed ones are gemms on the timeline
    CHECK(gemms < prediction.breakdown.at("gemm").value() + prediction.breakdown.at("recompute").value());
}
