// What stages hold at once, and bounds on when they end: from the order alone, against the walk and the simulation.
#include "model/schedule/in_flight.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/schedule/simulate.hpp"
#include "model/schedule/stage_bounds.hpp"

using namespace orrery;

namespace {

struct Drawn {
    ScheduleKind kind;
    int stages, chunks, microBatches;
};

Drawn drawOrder() {
    Drawn drawn{};
    drawn.kind = *rc::gen::element(ScheduleKind::gpipe, ScheduleKind::oneFOneB, ScheduleKind::interleaved,
                                   ScheduleKind::zbH1, ScheduleKind::zbH2, ScheduleKind::zbV, ScheduleKind::vHalf,
                                   ScheduleKind::vMin, ScheduleKind::dualPipe, ScheduleKind::dualPipeV);
    drawn.stages = 2 * *rc::gen::inRange(1, 5);
    drawn.chunks =
        drawn.kind == ScheduleKind::interleaved ? *rc::gen::inRange(2, 5) : std::max(1, chunksOf(drawn.kind));
    drawn.microBatches = *rc::gen::inRange(1, 12 * drawn.stages);
    return drawn;
}

double anyTime() {
    return *rc::gen::inRange(0, 1000) / 250.0;
}

}  // namespace

TEST_CASE("the peak of like micro-batches follows from the largest sets in flight", "[schedule]") {
    CHECK(rc::check("peak", [] {
        const Drawn drawn = drawOrder();
        const Schedule schedule = makeSchedule(drawn.kind, drawn.stages, drawn.chunks, drawn.microBatches);
        std::vector<double> held;
        for (int v = 0; v < schedule.virtualStages(); ++v) held.push_back(*rc::gen::inRange(0, 100));
        const std::vector<std::uint32_t> shapes(static_cast<std::size_t>(drawn.microBatches), 0);
        const std::vector<double> walked = peakActivations(schedule, shapes, held);
        RC_ASSERT(InFlight(schedule).peak(schedule, held.data()) == walked);
        const int fewer = microBatchesUntilSteady(drawn.kind, drawn.stages, drawn.microBatches);
        const Schedule shorter = makeSchedule(drawn.kind, drawn.stages, drawn.chunks, fewer);
        RC_ASSERT(InFlight(shorter).peak(schedule, held.data()) == walked);
        if (drawn.kind == ScheduleKind::oneFOneB)
            RC_ASSERT(InFlight::oneFOneB(drawn.stages, fewer).peak(schedule, held.data()) == walked);
    }));
}

TEST_CASE("no schedule beats its bound", "[schedule]") {
    CHECK(rc::check("bound", [] {
        const Drawn drawn = drawOrder();
        const Schedule schedule = makeSchedule(drawn.kind, drawn.stages, drawn.chunks, drawn.microBatches);
        std::vector<std::uint32_t> shapeOf;
        std::vector<int> counts(2, 0);
        for (int m = 0; m < drawn.microBatches; ++m) {
            shapeOf.push_back(*rc::gen::inRange<std::uint32_t>(0, 2));
            ++counts[shapeOf.back()];
        }
        TaskTimes times(schedule.virtualStages(), 2, shapeOf);
        times.blockingSends = drawn.kind == ScheduleKind::gpipe || drawn.kind == ScheduleKind::oneFOneB;
        for (double& duration : times.duration) duration = anyTime();
        for (double& transfer : times.transfer) transfer = anyTime() / 8;
        if (!schedule.splitBackward) {
            for (std::size_t i = 2; i < times.duration.size(); i += 3) times.duration[i] = 0.0;
        }
        const std::vector<double> bounds = stageBounds(schedule, times, counts);
        const Simulation simulation = simulate(schedule, times);
        for (std::size_t s = 0; s < bounds.size(); ++s) RC_ASSERT(bounds[s] <= simulation.stageEnd[s] + 1e-9);
    }));
}

TEST_CASE("for equal stages the bound is the step of 1F1B and of interleaved schedules", "[schedule]") {
    for (const int chunks : {1, 2, 4}) {
        const ScheduleKind kind = chunks == 1 ? ScheduleKind::oneFOneB : ScheduleKind::interleaved;
        const Schedule schedule = makeSchedule(kind, 8, chunks, 32);
        const TaskTimes times = TaskTimes::uniform(8 * chunks, 32, 1.0, 2.0);
        const std::vector<double> bounds = stageBounds(schedule, times, {32});
        CHECK(bounds.front() == Approx(simulate(schedule, times).makespan));
        CHECK(bounds.front() == Approx(32 * 3.0 * chunks + 7 * 3.0));
    }
}
