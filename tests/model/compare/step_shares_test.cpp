// Shares of a step: every nanosecond in one row, hidden communication free, waits named by where they lie.
#include "model/compare/step_shares.hpp"

#include <numeric>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/timeline/waits.hpp"

using namespace orrery;

namespace {

class Job {
  public:
    Timeline timeline;
    void add(int rank, Lane lane, std::int64_t start, std::int64_t duration, Phase phase, OpClass cls = OpClass::other,
             int step = 0) {
        Span span;
        span.track = track(rank, lane);
        span.start = start;
        span.duration = duration;
        span.phase = phase;
        span.cls = cls;
        span.step = step;
        span.name = timeline.names.intern("x");
        timeline.add(span);
    }

  private:
    std::uint32_t track(int rank, Lane lane) {
        for (std::uint32_t id = 0; id < timeline.tracks.size(); ++id) {
            if (timeline.tracks[id].rank == rank && timeline.tracks[id].lane == lane) return id;
        }
        Track made;
        made.rank = rank;
        made.lane = lane;
        return timeline.addTrack(made);
    }
};

std::int64_t phaseOf(const StepShares& shares, Phase phase) {
    return shares.phases[static_cast<std::size_t>(phase)];
}
std::int64_t classOf(const StepShares& shares, OpClass cls) {
    return shares.classes[static_cast<std::size_t>(cls)];
}

}  // namespace

TEST_CASE("Communication under an operator costs nothing, what sticks out is exposed", "[compare]") {
    Job job;
    job.add(0, Lane::step, 0, 100, Phase::step);
    job.add(0, Lane::task, 0, 60, Phase::backward);
    job.add(0, Lane::op, 0, 50, Phase::backward, OpClass::gemm);
    job.add(0, Lane::comm, 30, 50, Phase::gradReduce, OpClass::allReduce);
    const auto shares = stepShares(job.timeline);
    REQUIRE(shares.size() == 1);
    CHECK(classOf(shares[0], OpClass::gemm) == 50);
    CHECK(classOf(shares[0], OpClass::allReduce) == 30);  // 50..80
    CHECK(classOf(shares[0], OpClass::host) == 20);       // 80..100, nothing recorded
    CHECK(phaseOf(shares[0], Phase::backward) == 50);
    CHECK(phaseOf(shares[0], Phase::gradReduce) == 30);
    CHECK(phaseOf(shares[0], Phase::other) == 20);
}

TEST_CASE("A task's time without operators is host time; without any operator it is the task's", "[compare]") {
    Job job;
    job.add(0, Lane::step, 0, 100, Phase::step);
    job.add(0, Lane::task, 0, 40, Phase::forward);
    job.add(0, Lane::op, 5, 30, Phase::forward, OpClass::attention);
    job.add(0, Lane::task, 40, 60, Phase::optimizer);
    const auto shares = stepShares(job.timeline).at(0);
    CHECK(classOf(shares, OpClass::attention) == 30);
    CHECK(classOf(shares, OpClass::host) == 10);
    CHECK(classOf(shares, OpClass::optimizer) == 60);
    CHECK(phaseOf(shares, Phase::forward) == 40);
}

TEST_CASE("The waiting part of a receive is a wait, the rest is communication", "[compare]") {
    Job job;
    job.add(0, Lane::step, 0, 100, Phase::step);
    job.add(0, Lane::comm, 0, 100, Phase::pipelineComm, OpClass::sendRecv);
    job.add(0, Lane::task, 0, 70, Phase::wait);
    const auto shares = stepShares(job.timeline).at(0);
    CHECK(phaseOf(shares, Phase::wait) == 70);
    CHECK(shares.classes[kWaitClass] == 70);
    CHECK(phaseOf(shares, Phase::pipelineComm) == 30);
}

TEST_CASE("Whatever the spans, phases and classes add up to each step", "[compare][property]") {
    rc::check("phases and classes partition the step", [] {
        Job job;
        const int steps = *rc::gen::inRange(1, 4);
        std::int64_t begin = 0;
        for (int step = 0; step < steps; ++step) {
            const auto length = *rc::gen::inRange<std::int64_t>(1, 500);
            begin += *rc::gen::inRange<std::int64_t>(0, 20);
            job.add(0, Lane::step, begin, length, Phase::step, OpClass::other, step);
            begin += length;
        }
        const int spans = *rc::gen::inRange(0, 25);
        for (int i = 0; i < spans; ++i) {
            job.add(
                0, *rc::gen::element(Lane::task, Lane::op, Lane::comm, Lane::kernel, Lane::copy),
                *rc::gen::inRange<std::int64_t>(-50, 1500), *rc::gen::inRange<std::int64_t>(0, 300),
                *rc::gen::element(Phase::forward, Phase::backward, Phase::wait, Phase::gradReduce, Phase::optimizer),
                *rc::gen::element(OpClass::gemm, OpClass::allReduce, OpClass::copy, OpClass::other));
        }
        const bool marked = *rc::gen::arbitrary<bool>();
        if (marked) markGapsAsWaits(job.timeline);
        const auto shares = stepShares(job.timeline);
        RC_ASSERT(shares.size() == static_cast<std::size_t>(steps));
        for (const auto& step : shares) {
            const auto sum = [](const auto& rows) {
                return std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
            };
            RC_ASSERT(sum(step.phases) == step.window.duration());
            RC_ASSERT(sum(step.classes) == step.window.duration());
            if (marked) RC_ASSERT(phaseOf(step, Phase::other) == 0);
        }
    });
}

TEST_CASE("Waits of a pipeline rank are named by where they lie in its step", "[compare][waits]") {
    Job job;
    job.add(0, Lane::step, 0, 1000, Phase::step);
    job.add(0, Lane::task, 100, 100, Phase::forward);
    job.add(0, Lane::task, 200, 100, Phase::backward);
    job.add(0, Lane::task, 400, 100, Phase::forward);
    job.add(0, Lane::task, 600, 100, Phase::backward);
    markGapsAsWaits(job.timeline);
    nameWaits(job.timeline);
    job.timeline.sort();
    std::vector<std::string> waits;
    for (std::size_t row = 0; row < job.timeline.size(); ++row) {
        const Span span = job.timeline.span(row);
        if (span.phase == Phase::wait) waits.emplace_back(job.timeline.names.text(span.name));
    }
    CHECK(waits == std::vector<std::string>{"wait: warm-up", "wait: steady", "wait: cool-down", "wait: step end"});
}
