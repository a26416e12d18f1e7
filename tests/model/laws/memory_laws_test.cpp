// Memory does not grow with tensor, pipeline or sharded data parallelism, nor with recomputation.
#include <algorithm>

#include <catch2/catch.hpp>

#include "draw.hpp"

using namespace orrery;

namespace {

MemoryUse fullest(const ModelSpec& model, const ParallelPlan& plan) {
    const Prediction prediction = predict(specs::scenario(model, plan, 1024, 16L * plan.dp, 1));
    return std::max_element(
               prediction.stages.begin(), prediction.stages.end(),
               [](const StagePrediction& a, const StagePrediction& b) { return a.memory.total() < b.memory.total(); })
        ->memory;
}

double states(const MemoryUse& use) {
    return (use.weights + use.gradients + use.optimizer).value();
}

/// A job whose sizes leave room for twice the parallelism.
std::pair<ModelSpec, ParallelPlan> drawRoomy() {
    ModelSpec model = laws::drawModel();
    model.mtpLayers = 0;
    ParallelPlan plan = laws::drawPlan(model);
    plan.tp = std::min(plan.tp, 2);
    plan.pp = std::min(plan.pp, 2);
    plan.cp = plan.cpAllToAll = plan.ep = plan.etp = 1;
    plan.sequenceParallel = true;
    plan.schedule = ScheduleKind::oneFOneB;
    plan.vpp = 1;
    return {model, plan};
}

}  // namespace

TEST_CASE("memory does not grow with tp, pp or the ZeRO stage of any job", "[laws]") {
    CHECK(rc::check("fullest stage", [] {
        const auto [model, plan] = drawRoomy();
        const MemoryUse before = fullest(model, plan);
        ParallelPlan wider = plan;
        wider.tp *= 2;
        const MemoryUse wide = fullest(model, wider);
        RC_ASSERT(states(wide) <= states(before));
        RC_ASSERT(wide.activations <= before.activations);
        ParallelPlan deeper = plan;
        deeper.pp *= 2;
        RC_ASSERT(states(fullest(model, deeper)) <= states(before));
        double last = states(before);
        for (int stage = static_cast<int>(plan.sharding) + 1; stage <= 3; ++stage) {
            ParallelPlan sharded = plan;
            sharded.sharding = static_cast<Sharding>(stage);
            const double next = states(fullest(model, sharded));
            RC_ASSERT(next <= last);
            last = next;
        }
    }));
}

TEST_CASE("recomputation keeps less where a stage has several layers, and takes longer", "[laws]") {
    CHECK(rc::check("none, full", [] {
        auto [model, plan] = drawRoomy();
        plan.recompute = Recompute::none;
        const MemoryUse whole = fullest(model, plan);
        plan.recompute = Recompute::full;
        RC_ASSERT(fullest(model, plan).activations <= whole.activations);
        Scenario scenario = laws::drawScenario();
        scenario.plan.recompute = Recompute::none;
        const Seconds before = predict(scenario).metrics.step;
        scenario.plan.recompute = Recompute::full;
        RC_ASSERT(predict(scenario).metrics.step.value() >= before.value() * (1.0 - laws::kRounding));
    }));
}
