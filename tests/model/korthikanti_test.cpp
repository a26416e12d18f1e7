// Published steps and activation formulas of Korthikanti et al. 2022 (arXiv 2205.05198).
#include <catch2/catch.hpp>

#include "model/memory/activations.hpp"
#include "model/memory/stage_parameters.hpp"
#include "model/ops/edge_ops.hpp"
#include "model/ops/shard_shape.hpp"
#include "specs.hpp"

using namespace orrery;

namespace {

ParallelPlan unfusedPlan(int tp, bool sequenceParallel, Recompute recompute) {
    ParallelPlan plan = specs::plan(tp, 1, 1);
    plan.sequenceParallel = sequenceParallel;
    plan.recompute = recompute;
    plan.flashAttention = false;
    return plan;
}

double layerBytes(const ParallelPlan& plan) {
    const ModelSpec model = specs::gpt(4, 6144, 64);
    const MicroBatch microBatch{{2048, 2048, 2048, 2048}};
    return layerActivations(model, plan, shardShape(model, plan, microBatch)).kept.value();
}

}  // namespace

TEST_CASE("activations of a GPT layer are table 2 of Korthikanti et al.", "[memory]") {
    const double s = 2048, b = 4, h = 6144, a = 64;
    const double sbh = s * b * h;
    const double core = 5.0 * a * s / h;
    const double t = GENERATE(1, 2, 8);
    const int tp = static_cast<int>(t);
    CHECK(layerBytes(unfusedPlan(tp, false, Recompute::none)) == Approx(sbh * (10 + 24 / t + core / t)));
    CHECK(layerBytes(unfusedPlan(tp, true, Recompute::none)) == Approx(sbh / t * (34 + core)));
    CHECK(layerBytes(unfusedPlan(tp, true, Recompute::selective)) == Approx(34 * sbh / t));
    CHECK(layerBytes(unfusedPlan(tp, false, Recompute::full)) == Approx(2 * sbh));
}

TEST_CASE("fused attention keeps what selective recomputation keeps, and one float a query and head", "[memory]") {
    ParallelPlan fused = unfusedPlan(8, true, Recompute::none);
    fused.flashAttention = true;
    CHECK(layerBytes(fused) - layerBytes(unfusedPlan(8, true, Recompute::selective)) ==
          Approx(4.0 * 4 * 2048 * 64 / 8));
}

TEST_CASE("embedding and head add the extra terms of section 4.3", "[memory]") {
    const ModelSpec model = specs::gpt(4, 6144, 64);
    const ParallelPlan plan = unfusedPlan(8, true, Recompute::none);
    const ShardShape shape = shardShape(model, plan, {{2048}});
    const double sbh = 2048.0 * 6144.0;
    CHECK(savedBytes(embeddingForward(model, plan, shape)).value() == Approx(sbh / 8));  // dropout mask
    CHECK(savedBytes(headForward(model, plan, shape)).value() ==
          Approx(4.0 * sbh / 8 * (1.0 + 51200.0 / 6144.0)));  // 4sbh/t (1 + v/h)
}

TEST_CASE("a fused loss keeps logits as stored and holds no second gradient of them", "[memory]") {
    const ModelSpec model = specs::gpt(4, 6144, 64);
    ParallelPlan plan = unfusedPlan(8, true, Recompute::none);
    const ShardShape shape = shardShape(model, plan, {{2048}});
    const double logits = 2048.0 * 51200.0 / 8;
    const double hidden = 2048.0 * 6144.0;
    const double kept = savedBytes(headForward(model, plan, shape)).value();
    CHECK(headGradients(plan, shape).value() == Approx(2.0 * (logits + hidden)));
    plan.fusedCrossEntropy = true;
    CHECK(kept - savedBytes(headForward(model, plan, shape)).value() == Approx(2.0 * logits));
    CHECK(headGradients(plan, shape).value() == Approx(2.0 * hidden));
}

TEST_CASE("a layer going backward holds the gradients of hidden states and of its largest tensor", "[memory]") {
    const ModelSpec model = specs::gpt(4, 6144, 64);
    ParallelPlan plan = unfusedPlan(8, true, Recompute::none);
    plan.flashAttention = true;
    const LayerActivations layer = layerActivations(model, plan, shardShape(model, plan, {{2048}}));
    // 2sbh/t of the residual and 8sbh/t of the MLP's first product.
    CHECK(layer.gradients.value() == Approx((2.0 + 8.0) * 2048.0 * 6144.0 / 8));
}

TEST_CASE("model sizes are the published ones", "[spec]") {
    CHECK(parameterCount(specs::gpt(96, 12288, 96)) == Approx(174.6e9).epsilon(0.005));   // GPT-3: 175 B
    CHECK(parameterCount(specs::gpt(128, 25600, 160)) == Approx(1008e9).epsilon(0.001));  // 2104.04473, table 1
    CHECK(parameterCount(specs::llama8B()) == Approx(8.03e9).epsilon(0.001));             // Llama 3 model card
    CHECK(parameterCount(specs::llama(80, 8192, 64, 8, 28672, 128256)) == Approx(70.55e9).epsilon(0.001));
}

TEST_CASE("stage parameters add up to the model", "[memory]") {
    const ModelSpec model = specs::llama8B();
    double sum = 0.0;
    for (const auto& stage : stageParameters(model, specs::plan(1, 4, 1))) sum += stage.total();
    CHECK(sum == Approx(parameterCount(model)).epsilon(1e-12));
    const ModelSpec tied = specs::gpt(8, 1024, 16);
    CHECK(stageParameters(tied, specs::plan(1, 1, 1)).front().total() == Approx(parameterCount(tied)).epsilon(1e-12));
}

TEST_CASE("steps of the paper's table 5 come out within 15 % from data sheets alone", "[predict]") {
    struct Row {
        std::int64_t layers, hidden, heads;
        int pp, vpp;
        std::int64_t microBatch, batch;
        bool selective;
        double seconds;
    };
    const Row row =
        GENERATE(Row{48, 6144, 64, 1, 1, 4, 4, false, 1.42}, Row{48, 6144, 64, 1, 1, 4, 4, true, 1.10},
                 Row{96, 12288, 96, 8, 3, 1, 64, false, 18.13}, Row{96, 12288, 96, 8, 3, 1, 64, true, 13.75},
                 Row{105, 20480, 128, 35, 3, 1, 280, false, 49.05}, Row{105, 20480, 128, 35, 3, 1, 280, true, 37.83},
                 Row{128, 25600, 160, 64, 1, 1, 512, false, 94.42}, Row{128, 25600, 160, 64, 1, 1, 512, true, 71.49});
    ParallelPlan plan = specs::plan(8, row.pp, 1);
    plan.vpp = row.vpp;
    plan.schedule = row.vpp > 1 ? ScheduleKind::interleaved : ScheduleKind::oneFOneB;
    plan.sequenceParallel = row.selective;
    plan.recompute = row.selective ? Recompute::selective : Recompute::full;
    plan.flashAttention = false;
    plan.precision = DType::fp16;
    plan.parameterType = DType::fp16;
    const Prediction prediction =
        predict(specs::scenario(specs::gpt(row.layers, row.hidden, row.heads), plan, 2048, row.batch, row.microBatch));
    CAPTURE(row.layers, row.selective, prediction.metrics.step.value(), prediction.metrics.bubbleFraction);
    for (const auto& [key, value] : prediction.breakdown) UNSCOPED_INFO(key << " " << value.value());
    CHECK(prediction.metrics.step.value() == Approx(row.seconds).epsilon(0.15));
}
