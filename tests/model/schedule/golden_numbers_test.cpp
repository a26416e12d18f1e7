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
        Golden{ScheduleKind::zbH1, 16, 1, 128, 3.91, 16.0}, Golden{ScheduleKind::zbH1, 64, 1, 512, 4.10, 64.0},
        Golden{ScheduleKind::zbV, 8, 2, 64, 1.82, 8.0}, Golden{ScheduleKind::zbV, 16, 2, 128, 1.95, 16.0},
        Golden{ScheduleKind::zbV, 64, 2, 512, 2.05, 64.0}, Golden{ScheduleKind::vHalf, 8, 2, 64, 4.43, 5.0},
        Golden{ScheduleKind::vHalf, 16, 2, 128, 5.34, 9.0}, Golden{ScheduleKind::vHalf, 64, 2, 512, 6.02, 33.0},
        Golden{ScheduleKind::vMin, 8, 2, 64, 6.77, 4.0}, Golden{ScheduleKind::vMin, 16, 2, 128, 7.68, 6.0},
        Golden{ScheduleKind::vMin, 64, 2, 512, 8.17, 22.0});
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

TEST_CASE("DualPipe has the bubble and the activations of the DeepSeek-V3 report", "[schedule]") {
    // Table 2 of arXiv 2412.19437: bubble (p/2 - 1)(F&B + B - 3W), activations of p + 1 micro-batches. There B is the
    // whole backward pass, and F&B a forward and a backward pass as one.
    const int p = GENERATE(4, 8, 16);
    const int m = GENERATE(40, 64);
    const double forward = 1.0;
    const double input = forward;  // the table counts them as equal
    const double weight = GENERATE(1.0, 0.75, 0.5);
    CAPTURE(p, m, input, weight);
    const double whole = input + weight;
    const double expected = m * (forward + whole) + (p / 2 - 1) * ((forward + whole) + whole - 3.0 * weight);
    const Schedule schedule = dualPipe(p, m);
    CHECK_NOTHROW(validate(schedule));
    const TaskTimes times = TaskTimes::uniform(p, m, forward, input, weight);
    CHECK(simulate(schedule, times).makespan == Approx(expected));
    const auto peaks = peakActivations(schedule, times.shapeOf, std::vector<double>(static_cast<std::size_t>(p), 1.0));
    CHECK(*std::max_element(peaks.begin(), peaks.end()) == p + 1);

    const Schedule half = dualPipeV(p / 2, m / 2);  // half the devices, half the micro-batches: the same figures
    CHECK_NOTHROW(validate(half));
    const TaskTimes halfTimes = TaskTimes::uniform(p, m / 2, forward, input, weight);
    CHECK(simulate(half, halfTimes).makespan == Approx(expected));
    const auto halfPeaks =
        peakActivations(half, halfTimes.shapeOf, std::vector<double>(static_cast<std::size_t>(p), 1.0));
    CHECK(*std::max_element(halfPeaks.begin(), halfPeaks.end()) == p + 1);
}
