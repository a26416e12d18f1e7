// An order of tasks that the plan gives: it runs as written, or it is refused with the task that is wrong.
#include <catch2/catch.hpp>

#include "../specs.hpp"
#include "model/schedule/orders.hpp"
#include "model/schedule/simulate.hpp"
#include "model/units/input_error.hpp"

using namespace orrery;

namespace {

/// A plan whose given order is what a named schedule would have.
ParallelPlan asGiven(const Schedule& schedule, ParallelPlan plan) {
    plan.schedule = ScheduleKind::given;
    plan.orderPlacement = schedule.placement;
    for (int stage = 0; stage < schedule.stages; ++stage)
        plan.order.emplace_back(schedule.of(stage).begin(), schedule.of(stage).end());
    return plan;
}

Scenario small(ScheduleKind kind, int vpp) {
    ParallelPlan plan = specs::plan(1, 4, 1);
    plan.schedule = kind;
    plan.vpp = vpp;
    return specs::scenario(specs::llama(8, 1024, 16, 4, 2816, 32000), plan, 2048, 12, 1);
}

Scenario twoStages() {
    Scenario scenario = small(ScheduleKind::zbH1, 1);
    scenario.plan.pp = 2;
    scenario.cluster = specs::a100(2);
    scenario.workload = Workload::fixed(2048, 3, 1, 1);
    scenario.plan = asGiven(oneFOneB(2, 3), scenario.plan);
    return scenario;
}

}  // namespace

TEST_CASE("an order written out predicts what its named schedule does", "[schedule][predict]") {
    const auto [kind, vpp] = GENERATE(std::pair{ScheduleKind::zbH1, 1}, std::pair{ScheduleKind::interleaved, 2},
                                      std::pair{ScheduleKind::vHalf, 2}, std::pair{ScheduleKind::dualPipe, 1});
    CAPTURE(name(kind));
    const Scenario named = small(kind, vpp);
    Scenario given = named;
    given.plan = asGiven(makeSchedule(kind, 4, vpp, 12), named.plan);
    const Prediction a = predict(named);
    const Prediction b = predict(given);
    CHECK(b.metrics.step.value() == Approx(a.metrics.step.value()).epsilon(1e-12));
    CHECK(b.metrics.peakMemory.value() == Approx(a.metrics.peakMemory.value()).epsilon(1e-12));
}

TEST_CASE("an order that cannot run is refused in one line", "[schedule][predict]") {
    CHECK_NOTHROW(predict(twoStages()));
    SECTION("deadlock") {
        Scenario scenario = twoStages();
        std::swap(scenario.plan.order[0][0], scenario.plan.order[0][2]);  // wants a gradient of what it never sent
        CHECK_THROWS_WITH(predict(scenario), Catch::Contains("stage 0 waits forever at the backward of micro-batch 0"));
    }
    SECTION("other micro-batches than the workload") {
        Scenario scenario = twoStages();
        scenario.workload = Workload::fixed(2048, 4, 1, 1);
        CHECK_THROWS_WITH(predict(scenario), Catch::Contains("is for 3 micro-batches; a replica has 4"));
    }
    SECTION("a task that is missing, and one too often") {
        Scenario scenario = twoStages();
        scenario.plan.order[1].pop_back();
        CHECK_THROWS_WITH(predict(scenario), Catch::Contains("stage 1 lists 5 of its 6 tasks"));
        scenario.plan.order[1].push_back(scenario.plan.order[1].front());
        CHECK_THROWS_WITH(predict(scenario), Catch::Contains("forward of micro-batch 0, chunk 0, is listed twice"));
    }
    SECTION("joined to nothing") {
        Scenario scenario = twoStages();
        scenario.plan.order[1].back().joined = true;
        CHECK_THROWS_WITH(predict(scenario), Catch::Contains("joined to nothing"));
    }
    SECTION("not a list for each stage, or none") {
        Scenario scenario = twoStages();
        scenario.plan.order.pop_back();
        CHECK_THROWS_WITH(predict(scenario), Catch::Contains("1 lists of tasks"));
        scenario.plan.order.clear();
        CHECK_THROWS_WITH(predict(scenario), Catch::Contains("give 'order'"));
    }
}

TEST_CASE("joined tasks hand on their outputs together", "[schedule]") {
    // Stage 0 joins F1 and B0: stage 1 has F1 only when B0 is done, too.
    ParallelPlan plan = asGiven(gpipe(2, 2), specs::plan(1, 2, 1));
    plan.order[0] = {{0, 0, TaskKind::forward},
                     {1, 0, TaskKind::forward, true},
                     {0, 0, TaskKind::backward},
                     {1, 0, TaskKind::backward}};
    plan.order[1] = {
        {0, 0, TaskKind::forward}, {0, 0, TaskKind::backward}, {1, 0, TaskKind::forward}, {1, 0, TaskKind::backward}};
    const Simulation run = simulate(givenOrder(plan, 2), TaskTimes::uniform(2, 2, 1.0, 2.0));
    CHECK(run.start[1] == 4.0);  // F1 waits for B0's input: F0 1, F0 2, B0 4
    CHECK(run.start[2] == 5.0);
    CHECK(run.start[6] == 7.0);  // F1 on stage 1
    CHECK(run.makespan == 12.0);
}
