// Which layers lie on which stage: even, by Megatron's rules, or as given, with edges on stages of their own.
#include "model/spec/stage_layout.hpp"

#include <numeric>

#include <catch2/catch.hpp>

#include "specs.hpp"

using namespace orrery;

namespace {
using Layers = std::vector<int>;

ParallelPlan stages(int pp, int vpp = 1) {
    ParallelPlan plan = specs::plan(1, pp, 1);
    plan.vpp = vpp;
    plan.schedule = vpp > 1 ? ScheduleKind::interleaved : ScheduleKind::oneFOneB;
    return plan;
}
}  // namespace

TEST_CASE("layers are split evenly, with embedding and loss counted as layers where asked for", "[spec]") {
    ParallelPlan plan = stages(4);
    CHECK(plan.stageLayers(30) == Layers{8, 8, 7, 7});
    plan.embeddingAsLayer = plan.lossAsLayer = true;
    CHECK(plan.stageLayers(30) == Layers{7, 8, 8, 7});
    plan.lossAsLayer = false;
    CHECK(plan.stageLayers(31) == Layers{7, 8, 8, 8});
}

TEST_CASE("first and last stages of their own size leave the rest to the others, chunk by chunk", "[spec]") {
    ParallelPlan plan = stages(4);
    plan.firstStageLayers = 5;
    plan.lastStageLayers = 3;
    CHECK(plan.stageLayers(20) == Layers{5, 6, 6, 3});
    plan = stages(4, 2);
    plan.firstStageLayers = 6;
    CHECK(plan.stageLayers(30) == Layers{3, 4, 4, 4, 3, 4, 4, 4});
    plan.schedule = ScheduleKind::zbV;  // the first stage holds both ends
    CHECK(plan.stageLayers(30) == Layers{3, 4, 4, 4, 4, 4, 4, 3});
}

TEST_CASE("a split that does not fit is refused", "[spec]") {
    const ModelSpec model = specs::llama8B();  // 32 layers
    ParallelPlan plan = stages(4);
    plan.firstStageLayers = 40;
    CHECK_THROWS_WITH(validateStages(plan, model), Catch::Contains("leave -8 of the model's 32 layers"));
    plan = stages(2);
    plan.firstStageLayers = 10;
    plan.lastStageLayers = 10;
    CHECK_THROWS_WITH(validateStages(plan, model), Catch::Contains("leave 12"));
    plan.lossAsLayer = true;
    CHECK_THROWS_WITH(validateStages(plan, model), Catch::Contains("exclude"));
    plan = stages(2);
    plan.layersPerStage = {16, 16};
    plan.embeddingAsLayer = true;
    CHECK_THROWS_WITH(validateStages(plan, model), Catch::Contains("already says"));
}

TEST_CASE("embedding and output on stages of their own carry their parameters and their work", "[spec][predict]") {
    ParallelPlan plan = stages(4);
    plan.layersPerStage = {0, 16, 16, 0};
    const Prediction apart = predict(specs::scenario(specs::llama8B(), plan, 4096, 16, 1));
    const auto weights = [&](std::size_t s) { return apart.stages[s].memory.weights.value(); };
    const double table = 128256.0 * 4096.0 * 2.0;
    CHECK(weights(0) == Approx(table));
    CHECK(weights(3) == Approx(table + 4096.0 * 2.0));  // and the final norm
    CHECK(weights(1) == Approx(weights(2)));
    CHECK(apart.stages[0].compute < apart.stages[3].compute);  // a look-up is less than a product
    CHECK(apart.stages[3].compute < apart.stages[1].compute);
}

TEST_CASE("multi-token prediction moves to the position that the plan says", "[spec][predict]") {
    ModelSpec model = specs::llama8B();
    model.mtpLayers = 1;
    ParallelPlan plan = stages(4);
    plan.layersPerStage = {11, 11, 10, 0};
    const Prediction together = predict(specs::scenario(model, plan, 4096, 16, 1));
    plan.mtpSlot = 2;
    const Prediction apart = predict(specs::scenario(model, plan, 4096, 16, 1));
    CHECK(apart.stages[2].compute > together.stages[2].compute);
    CHECK(apart.stages[3].compute < together.stages[3].compute);
    CHECK(apart.stages[2].memory.weights > together.stages[2].memory.weights);
    const auto work = [](const Prediction& p) {
        return std::accumulate(p.stages.begin(), p.stages.end(), 0.0,
                               [](double sum, const StagePrediction& s) { return sum + s.compute.value(); });
    };
    CHECK(work(apart) == Approx(work(together)).epsilon(0.01));
    plan.mtpSlot = 4;
    CHECK_THROWS_WITH(predict(specs::scenario(model, plan, 4096, 16, 1)), Catch::Contains("slot 4"));
}
