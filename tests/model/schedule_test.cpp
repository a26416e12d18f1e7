// Schedules: golden numbers, closed forms, and laws on random stages.
#include <algorithm>

#include <catch2/catch.hpp>

#include "model/schedule/orders.hpp"
#include "model/schedule/simulate.hpp"

using namespace orrery;

namespace {

struct Golden {
    ScheduleKind kind;
    int stages, chunks, microBatches;
    double overIdealPercent, peak;
};

double overIdealPercent(const Schedule& schedule, double makespan) {
    const double ideal = 3.0 * schedule.microBatches;  // t_F = t_B = t_W = 1 a whole stage
    return 100.0 * (makespan / ideal - 1.0);
}

TaskTimes unitTimes(const Schedule& schedule) {
    const double unit = 1.0 / schedule.chunks;
    return TaskTimes::uniform(schedule.virtualStages(), schedule.microBatches, unit,
                              schedule.splitBackward ? unit : 2.0 * unit, unit);
}

}  // namespace

TEST_CASE("schedules meet the golden numbers of an independent simulator to the printed digit", "[schedule]") {
    // AMD-AGI/Primus pipeline simulator: time over ideal in per cent, peak activations in whole-stage micro-batches.
    const auto golden = GENERATE(
        Golden{ScheduleKind::oneFOneB, 8, 1, 64, 10.94, 8.0}, Golden{ScheduleKind::oneFOneB, 16, 1, 128, 11.72, 16.0},
        Golden{ScheduleKind::oneFOneB, 64, 1, 512, 12.30, 64.0},
        Golden{ScheduleKind::interleaved, 8, 2, 64, 5.47, 11.5},
        Golden{ScheduleKind::interleaved, 16, 2, 128, 5.86, 23.5},
        Golden{ScheduleKind::interleaved, 64, 2, 512, 6.15, 95.5},
        Golden{ScheduleKind::interleaved, 8, 4, 64, 2.73, 9.75},
        Golden{ScheduleKind::interleaved, 16, 4, 128, 2.93, 19.75},
        Golden{ScheduleKind::interleaved, 64, 4, 512, 3.08, 79.75}, Golden{ScheduleKind::zbH1, 8, 1, 64, 3.65, 8.0},
        Golden{ScheduleKind::zbH1, 16, 1, 128, 3.91, 16.0}, Golden{ScheduleKind::zbH1, 64, 1, 512, 4.10, 64.0});
    CAPTURE(name(golden.kind), golden.stages, golden.chunks);
    const Schedule schedule = makeSchedule(golden.kind, golden.stages, golden.chunks, golden.microBatches);
    CHECK_NOTHROW(validate(schedule));
    const TaskTimes times = unitTimes(schedule);
    const Simulation run = simulate(schedule, times);
    CHECK(overIdealPercent(schedule, run.makespan) == Approx(golden.overIdealPercent).margin(0.005).epsilon(0));
    const std::vector<double> held(static_cast<std::size_t>(schedule.virtualStages()), 1.0 / golden.chunks);
    const auto peaks = peakActivations(schedule, times.shapeOf, held);
    CHECK(*std::max_element(peaks.begin(), peaks.end()) == Approx(golden.peak).epsilon(1e-12));
}
