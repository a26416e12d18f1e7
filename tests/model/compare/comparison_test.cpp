// Predicted against measured: the median step, rows that add up, and clear words when the two are not the same job.
#include "model/compare/comparison.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "model/predict/prediction.hpp"
#include "model/units/input_error.hpp"
#include "tests/report/sample_job.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

double sum(const std::vector<TimeRow>& rows, bool predicted) {
    double total = 0.0;
    for (const auto& row : rows) total += (predicted ? row.predicted : row.measured).value();
    return total;
}

Scenario scenarioFor(int pp, int microBatches) {
    Scenario scenario;
    scenario.plan.pp = pp;
    scenario.workload = Workload::fixed(128, microBatches, 1, 1);
    return scenario;
}

}  // namespace

TEST_CASE("Rows of both groups add up to the step on both sides, for every rank", "[compare]") {
    const Timeline predicted = test::pipelineJob(4, 1.0, 0);
    const Timeline measured = test::pipelineJob(4, 1.1, 5000, 6);
    const Comparison comparison = compare(predicted, measured);
    CHECK(comparison.skippedSteps == 1);
    CHECK(comparison.steps.size() == 5);
    REQUIRE(comparison.ranks.size() == 2);
    auto tables = comparison.ranks;
    tables.push_back(comparison.overall);
    for (const auto& table : tables) {
        CHECK(sum(table.phases, true) == Approx(table.step.predicted.value()));
        CHECK(sum(table.phases, false) == Approx(table.step.measured.value()));
        CHECK(sum(table.classes, true) == Approx(table.step.predicted.value()));
        CHECK(sum(table.classes, false) == Approx(table.step.measured.value()));
        for (std::size_t i = 1; i < table.phases.size(); ++i) {
            CHECK(std::abs(table.phases[i - 1].difference().value()) >= std::abs(table.phases[i].difference().value()));
        }
    }
}

TEST_CASE("A measurement compared with itself has no error", "[compare]") {
    const Timeline job = test::pipelineJob(3, 1.0, 0);
    const Comparison comparison = compare(job, job, {.skipSteps = 0});
    CHECK(comparison.overall.step.errorPercent() == Approx(0.0).margin(1e-9));
    for (const auto& row : comparison.overall.phases) CHECK(row.difference().value() == Approx(0.0).margin(1e-12));
}

TEST_CASE("The median step is the one whose rows are shown", "[compare]") {
    Timeline measured;
    Track track;
    track.lane = Lane::step;
    measured.addTrack(track);
    std::int64_t start = 0;
    int number = 0;
    for (const std::int64_t duration : {900, 50, 30, 10, 40, 20}) {  // the first is warm-up
        Span span;
        span.start = start;
        span.duration = duration * 1000;
        span.phase = Phase::step;
        span.step = number++;
        span.name = measured.names.intern("step");
        measured.add(span);
        start += span.duration;
    }
    const Comparison summary = summarize(measured);
    CHECK(summary.medianStep == 2);
    CHECK(summary.overall.step.measured.value() == Approx(30e-6));
    CHECK(std::isnan(TimeRow{"x", Seconds(1.0), Seconds(0.0)}.errorPercent()));
    CHECK_THROWS_WITH(summarize(measured, {.skipSteps = 6}), Contains("6 step(s)") && Contains("--skip-steps 5"));
    CHECK_THROWS_AS(summarize(Timeline{}), InputError);
}

TEST_CASE("A predicted rank that nobody measured is an error; an extra measured one is a warning", "[compare]") {
    const Timeline two = test::pipelineJob(2, 1.0, 0, 2);
    Timeline one;
    one.tracks = two.tracks;
    one.names = two.names;
    for (std::size_t row = 0; row < two.size(); ++row) {
        if (two.tracks[two.span(row).track].rank == 0) one.add(two.span(row));
    }
    one.tracks.resize(4);
    CHECK_THROWS_WITH(compare(two, one), Contains("rank 1"));
    const Comparison comparison = compare(one, two);
    REQUIRE(comparison.warnings.size() == 1);
    CHECK_THAT(comparison.warnings[0], Contains("1 measured rank(s)"));
}

TEST_CASE("A profile of another job than the scenario is refused with both numbers", "[compare]") {
    const Timeline measured = test::pipelineJob(4, 1.0, 0, 2);
    CHECK_NOTHROW(checkSameJob(scenarioFor(2, 4), measured, 2));
    CHECK_THROWS_WITH(checkSameJob(scenarioFor(4, 4), measured, 2), Contains("2 ranks") && Contains("needs 4"));
    CHECK_THROWS_WITH(checkSameJob(scenarioFor(2, 8), measured, 2),
                      Contains("4 micro-batches") && Contains("scenario has 8"));
    CHECK_THROWS_WITH(checkSameJob(scenarioFor(2, 4), Timeline{}, 2), Contains("no step"));
}
