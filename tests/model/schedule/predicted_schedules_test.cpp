// Predictions under schedules whose stages hold two parts of the model.
#include <catch2/catch.hpp>

#include "../specs.hpp"

using namespace orrery;

namespace {

Scenario under(ScheduleKind kind, int vpp) {
    ParallelPlan plan = specs::plan(1, 4, 2);
    plan.schedule = kind;
    plan.vpp = vpp;
    return specs::scenario(specs::llama(8, 1024, 16, 4, 2816, 32000), plan, 2048, 64, 1);
}

double stageWork(const Prediction& prediction) {
    double sum = 0.0;
    for (const StagePrediction& stage : prediction.stages) sum += stage.compute.value();
    return sum;
}

}  // namespace

TEST_CASE("every schedule runs the same work, and its breakdown adds up to the step", "[predict][schedule]") {
    const Prediction base = predict(under(ScheduleKind::zbH1, 1));
    const auto kind = GENERATE(ScheduleKind::zbV, ScheduleKind::vHalf, ScheduleKind::vMin, ScheduleKind::dualPipeV,
                               ScheduleKind::dualPipe);
    CAPTURE(name(kind));
    const Prediction prediction = predict(under(kind, kind == ScheduleKind::dualPipe ? 1 : 2), {true, true});
    double sum = 0.0;
    for (const auto& [part, time] : prediction.breakdown) sum += time.value();
    CHECK(sum == Approx(prediction.metrics.step.value()).epsilon(1e-9));
    CHECK(prediction.metrics.bubbleFraction >= 0.0);
    // Optimizer and launches differ with where the parts lie; kernels of the micro-batches do not.
    CHECK(stageWork(prediction) == Approx(stageWork(base)).epsilon(0.05));
    CHECK(prediction.timeline.size() > 1000);
}

TEST_CASE("the first stage of a V holds both ends of the model", "[predict][schedule]") {
    const Prediction loop = predict(under(ScheduleKind::zbH1, 1));
    const Prediction vee = predict(under(ScheduleKind::zbV, 2));
    const auto weights = [](const Prediction& p, std::size_t stage) { return p.stages[stage].memory.weights.value(); };
    const double embedding = weights(loop, 0) - weights(loop, 1);
    const double head = weights(loop, 3) - weights(loop, 1);
    CHECK(weights(vee, 0) - weights(vee, 1) == Approx(embedding + head));
    CHECK(weights(vee, 3) == Approx(weights(vee, 1)));
}

TEST_CASE("DualPipe holds the model twice, in mirror image", "[predict][schedule]") {
    const Prediction once = predict(under(ScheduleKind::zbH1, 1));
    const Prediction twice = predict(under(ScheduleKind::dualPipe, 1));
    for (std::size_t s = 0; s < 4; ++s) {
        const double both = once.stages[s].memory.weights.value() + once.stages[3 - s].memory.weights.value();
        CHECK(twice.stages[s].memory.weights.value() == Approx(both));
    }
    CHECK(twice.stages[0].peakInFlight == 5);
    CHECK(twice.stages[0].compute.value() == Approx(twice.stages[3].compute.value()));
    Scenario odd = under(ScheduleKind::dualPipe, 1);
    odd.plan.pp = 3;
    odd.cluster = specs::a100(6);
    CHECK_THROWS_WITH(predict(odd), Catch::Contains("needs an even pp"));
}

TEST_CASE("V-Half and V-Min hold less than ZB-V and take longer", "[predict][schedule]") {
    const Prediction full = predict(under(ScheduleKind::zbV, 2));
    const Prediction half = predict(under(ScheduleKind::vHalf, 2));
    const Prediction least = predict(under(ScheduleKind::vMin, 2));
    const auto held = [](const Prediction& p) { return p.stages[1].memory.activations.value(); };
    CHECK(held(half) < held(full));
    CHECK(held(least) <= held(half));
    CHECK(full.metrics.step <= half.metrics.step);
    CHECK(half.metrics.step <= least.metrics.step);
}
