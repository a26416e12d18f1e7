// Laws of schedules for all inputs: closed forms, dependencies, one task at a time.
#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/schedule/closed_forms.hpp"
#include "model/schedule/orders.hpp"
#include "model/schedule/simulate.hpp"
#include "model/units/input_error.hpp"

using namespace orrery;

namespace {

double milliseconds(int from, int to) {
    return 1e-3 * *rc::gen::inRange(from, to);
}

struct Draw {
    Schedule schedule;
    TaskTimes times;
};

/// Any schedule with random times for every stage and micro-batch.
Draw drawUneven() {
    const auto kind = *rc::gen::element(ScheduleKind::gpipe, ScheduleKind::oneFOneB, ScheduleKind::interleaved,
                                        ScheduleKind::zbH1, ScheduleKind::zbH2, ScheduleKind::zbV, ScheduleKind::vHalf,
                                        ScheduleKind::vMin, ScheduleKind::dualPipe, ScheduleKind::dualPipeV);
    const int stages = kind == ScheduleKind::dualPipe ? 2 * *rc::gen::inRange(1, 5) : *rc::gen::inRange(1, 9);
    const int chunks = kind == ScheduleKind::interleaved ? *rc::gen::inRange(1, 4) : chunksOf(kind);
    const int microBatches = *rc::gen::inRange(1, 25);
    Draw draw{makeSchedule(kind, stages, chunks, microBatches), {}};
    std::vector<std::uint32_t> shapes(static_cast<std::size_t>(microBatches));
    for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] = static_cast<std::uint32_t>(i);
    const int virtualStages = draw.schedule.virtualStages();
    draw.times = TaskTimes(virtualStages, shapes.size(), shapes);
    draw.times.blockingSends = *rc::gen::arbitrary<bool>();
    for (double& duration : draw.times.duration) duration = milliseconds(0, 50);
    for (double& transfer : draw.times.transfer) transfer = milliseconds(0, 5);
    return draw;
}

/// When each task ended, [virtual stage, micro-batch, kind]; negative where it never ran.
class Ends {
  public:
    Ends(const Draw& draw, const Simulation& run) : draw_(draw) {
        const Schedule& schedule = draw.schedule;
        ends_.assign(static_cast<std::size_t>(schedule.virtualStages() * schedule.microBatches * 3), -1.0);
        for (int stage = 0; stage < schedule.stages; ++stage) {
            std::size_t index = schedule.begin[static_cast<std::size_t>(stage)];
            for (const Task& task : schedule.of(stage)) {
                const int v = schedule.virtualStage(stage, task.chunk);
                at(v, task.microBatch, task.kind) = run.start[index++] + duration(v, task);
            }
        }
    }
    double& at(int v, int microBatch, TaskKind kind) {
        return ends_[static_cast<std::size_t>((v * draw_.schedule.microBatches + microBatch) * 3) +
                     static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] double duration(int v, const Task& task) const {
        return draw_.times.of(static_cast<std::uint32_t>(task.microBatch), v, task.kind);
    }

  private:
    const Draw& draw_;
    std::vector<double> ends_;
};

constexpr double kRounding = 1e-12;

}  // namespace

TEST_CASE("closed form equals simulation to 1e-9 when stages are equal", "[schedule]") {
    const std::string claim = "(m + p - 1)(tF + tB) for GPipe and 1F1B, m v chunks + (p - 1) for interleaved";
    CHECK(rc::check(claim, [] {
        const int p = *rc::gen::inRange(1, 33);
        const int m = *rc::gen::inRange(1, 65);
        const double forward = milliseconds(1, 100);
        const double backward = milliseconds(1, 200);
        const double expected = equalStagesStep(p, m, forward, backward);
        const TaskTimes times = TaskTimes::uniform(p, m, forward, backward);
        RC_ASSERT(std::abs(simulate(oneFOneB(p, m), times).makespan / expected - 1.0) < 1e-9);
        RC_ASSERT(std::abs(simulate(gpipe(p, m), times).makespan / expected - 1.0) < 1e-9);
        const int v = *rc::gen::inRange(1, 5);
        const int rounds = *rc::gen::inRange(1, 5);
        const double chunked = (rounds * p * v + p - 1) * (forward + backward);
        const Simulation run =
            simulate(interleaved(p, v, rounds * p), TaskTimes::uniform(p * v, rounds * p, forward, backward));
        RC_ASSERT(std::abs(run.makespan / chunked - 1.0) < 1e-9);
    }));
}

TEST_CASE("closed form of 1F1B with embedding and loss equals simulation to 1e-9 on every stage", "[schedule]") {
    CHECK(rc::check("first stage free, inner stages alike, last stage no shorter", [] {
        const int p = *rc::gen::inRange(1, 25);
        const int m = p + *rc::gen::inRange(1, 60);
        const auto stages = static_cast<std::size_t>(p);
        StageTimes form{std::vector<double>(stages, milliseconds(1, 100)),
                        std::vector<double>(stages, milliseconds(1, 100))};
        const double inner = form.forward[0] + form.backward[0];
        form.forward.front() = milliseconds(1, 150);
        form.backward.front() = milliseconds(1, 150);
        form.forward.back() = milliseconds(1, 150);
        form.backward.back() = milliseconds(1, 150) + (p > 2 ? inner : form.forward[0] + form.backward[0]) *
                                                          (*rc::gen::arbitrary<bool>() ? 1.0 : 0.5);
        const auto ends = oneFOneBStageEnds(form, m);
        RC_PRE(ends.has_value());
        TaskTimes times = TaskTimes::uniform(p, m, 0.0, 0.0);
        for (int s = 0; s < p; ++s) {
            times.of(0, s, TaskKind::forward) = form.forward[static_cast<std::size_t>(s)];
            times.of(0, s, TaskKind::backward) = form.backward[static_cast<std::size_t>(s)];
        }
        const Simulation run = simulate(oneFOneB(p, m), times);
        for (std::size_t s = 0; s < stages; ++s) RC_ASSERT(std::abs((*ends)[s] / run.stageEnd[s] - 1.0) < 1e-9);
    }));
}

TEST_CASE("a simulated schedule never violates a dependency", "[schedule]") {
    CHECK(rc::check("inputs arrive before a task starts", [] {
        const Draw draw = drawUneven();
        validate(draw.schedule);
        const Simulation run = simulate(draw.schedule, draw.times);
        Ends ends(draw, run);
        const int last = draw.schedule.virtualStages() - 1;
        for (int stage = 0; stage < draw.schedule.stages; ++stage) {
            std::size_t index = draw.schedule.begin[static_cast<std::size_t>(stage)];
            for (const Task& task : draw.schedule.of(stage)) {
                const int v = draw.schedule.virtualStage(stage, task.chunk);
                const int i = task.microBatch;
                const double start = run.start[index++];
                const auto sent = [&](int from, int direction) {
                    return draw.times.transfer[draw.times.row(static_cast<std::uint32_t>(i), from) * 2 +
                                               static_cast<std::size_t>(direction)];
                };
                if (task.kind == TaskKind::forward && v > 0)
                    RC_ASSERT(start >= ends.at(v - 1, i, TaskKind::forward) + sent(v - 1, 0) - kRounding);
                if (task.kind == TaskKind::backward) {
                    RC_ASSERT(start >= ends.at(v, i, TaskKind::forward) - kRounding);
                    if (v < last)
                        RC_ASSERT(start >= ends.at(v + 1, i, TaskKind::backward) + sent(v + 1, 1) - kRounding);
                }
                if (task.kind == TaskKind::backwardWeight)
                    RC_ASSERT(start >= ends.at(v, i, TaskKind::backward) - kRounding);
            }
        }
    }));
}

TEST_CASE("a stage runs one task at a time, and the step is at least every stage's work", "[schedule]") {
    CHECK(rc::check("tasks of a lane do not overlap", [] {
        const Draw draw = drawUneven();
        const Simulation run = simulate(draw.schedule, draw.times);
        for (int stage = 0; stage < draw.schedule.stages; ++stage) {
            std::size_t index = draw.schedule.begin[static_cast<std::size_t>(stage)];
            double free = 0.0;
            double work = 0.0;
            for (const Task& task : draw.schedule.of(stage)) {
                const double start = run.start[index++];
                RC_ASSERT(start >= free - kRounding);
                const double duration = draw.times.of(static_cast<std::uint32_t>(task.microBatch),
                                                      draw.schedule.virtualStage(stage, task.chunk), task.kind);
                free = start + duration;
                work += duration;
            }
            RC_ASSERT(run.makespan >= work - kRounding);
            RC_ASSERT(run.stageEnd[static_cast<std::size_t>(stage)] >= free - kRounding);
        }
    }));
}

TEST_CASE("a slower task never ends the step earlier", "[schedule]") {
    CHECK(rc::check("times are monotonic", [] {
        Draw draw = drawUneven();
        const double before = simulate(draw.schedule, draw.times).makespan;
        const auto slower = *rc::gen::inRange<std::size_t>(0, draw.times.duration.size());
        draw.times.duration[slower] += milliseconds(1, 20);
        RC_ASSERT(simulate(draw.schedule, draw.times).makespan >= before - kRounding);
    }));
}

TEST_CASE("an order that cannot run is named, not waited for", "[schedule]") {
    Schedule schedule = oneFOneB(2, 2);
    std::swap(schedule.tasks[0], schedule.tasks[2]);  // stage 0 wants a gradient before it has sent anything
    CHECK_NOTHROW(validate(schedule));
    CHECK_THROWS_WITH(simulate(schedule, TaskTimes::uniform(2, 2, 1.0, 2.0)),
                      Catch::Contains("stage 0 waits forever at the backward of micro-batch 0"));
    schedule.tasks[0] = schedule.tasks[1];
    CHECK_THROWS_WITH(validate(schedule), Catch::Contains("listed twice"));
    CHECK_THROWS_AS(makeSchedule(ScheduleKind::oneFOneB, 2, 1, 0), InputError);
}
