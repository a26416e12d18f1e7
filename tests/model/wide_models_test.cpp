// Mixture of experts, latent attention, windows, state spaces, context parallelism, multi-token prediction: exact work,
// memory and conservation over plans.
#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/memory/activations.hpp"
#include "model/memory/stage_parameters.hpp"
#include "model/ops/layer_ops.hpp"
#include "model/predict/model_flops.hpp"
#include "specs.hpp"

using namespace orrery;

namespace {

ModelSpec mixture() {
    ModelSpec model = specs::llama(8, 1024, 16, 4, 2816, 32000);
    model.moe.experts = 16;
    model.moe.topK = 2;
    model.moe.ffnHidden = 512;
    model.moe.sharedFfn = 512;
    model.moe.denseLayers = 1;
    return model;
}

/// DeepSeek-V3 (arXiv 2412.19437, section 4.2).
ModelSpec deepSeek() {
    ModelSpec model = specs::llama(61, 7168, 128, 128, 18432, 129280);
    model.headDim = 128;
    model.attention = AttentionKind::latent;
    model.latent = {1536, 512, 64, 128};
    model.moe.experts = 256;
    model.moe.topK = 8;
    model.moe.ffnHidden = 2048;
    model.moe.sharedFfn = 2048;
    model.moe.denseLayers = 3;
    return model;
}

constexpr LayerKind kExperts{Mixer::attention, FeedForward::experts};

double productFlops(const OpSequence& ops, int ranks = 1) {
    double sum = 0.0;
    for (const PlacedOp& placed : ops) {
        const OpClass cls = placed.op.cls;
        if (cls == OpClass::gemm || cls == OpClass::groupedGemm || cls == OpClass::attention)
            sum += placed.repeat * placed.op.flops.value();
    }
    return sum * ranks;
}

double bytesOf(const OpSequence& ops, std::string_view name) {
    double sum = 0.0;
    for (const PlacedOp& placed : ops) {
        if (placed.op.name == name) sum += placed.op.bytes.value();
    }
    return sum;
}

}  // namespace

TEST_CASE("published sizes of models with experts, latent attention and state spaces", "[spec]") {
    CHECK(parameterCount(deepSeek()) == Approx(671e9).epsilon(0.002));
    // Active per token: 37 B (abstract of arXiv 2412.19437), embedding and output included.
    const ModelSpec model = deepSeek();
    const double perToken = forwardFlops(model, 1.0, 0.0).value() / 2.0 + 129280.0 * 7168.0;
    CHECK(perToken == Approx(37.5e9).epsilon(0.02));
}

TEST_CASE("a layer of experts multiplies what its tokens need, whatever the split", "[ops]") {
    const ModelSpec model = mixture();
    const MicroBatch microBatch{{1024, 1024}};
    ParallelPlan one = specs::plan(1, 1, 1);
    const double whole = productFlops(layerForward(model, one, shardShape(model, one, microBatch), kExperts));
    const double t = 2048, h = 1024;
    const double attention = 2 * t * h * (16 + 8 + 16) * 64 + 4.0 * 1024 * 1025 * 1024;
    const double experts = 2 * t * 3 * h * (2 * 512 + 512) + 2 * t * h * 16;
    CHECK(whole == Approx(attention + experts));

    ParallelPlan split = specs::plan(2, 1, 4);  // tp 2, ep 8 over tp x dp
    split.sequenceParallel = true;
    split.ep = 8;
    const double shared = productFlops(layerForward(model, split, shardShape(model, split, microBatch), kExperts), 2);
    CHECK(shared == Approx(whole));
    split.ep = 4;
    split.etp = 2;
    CHECK(productFlops(layerForward(model, split, shardShape(model, split, microBatch), kExperts), 2) == Approx(whole));
}

TEST_CASE("the expert exchange moves each chosen copy of a token there and back", "[ops]") {
    const ModelSpec model = mixture();
    ParallelPlan plan = specs::plan(1, 1, 8);
    plan.ep = 8;
    const ShardShape shape = shardShape(model, plan, {{2048}});
    const OpSequence forward = layerForward(model, plan, shape, kExperts);
    CHECK(bytesOf(forward, "moe_dispatch") == 2048.0 * 2 * 1024 * 2);
    CHECK(bytesOf(forward, "moe_combine") == 2048.0 * 2 * 1024 * 2);
    const OpSequence backward = layerBackward(model, plan, shape, kExperts);
    CHECK(bytesOf(backward, "moe_dispatch") == bytesOf(forward, "moe_dispatch"));
    CHECK(bytesOf(backward, "moe_combine") == bytesOf(forward, "moe_combine"));
    plan.ep = 1;
    CHECK(bytesOf(layerForward(model, plan, shardShape(model, plan, {{2048}}), kExperts), "moe_dispatch") == 0.0);
}

TEST_CASE("uneven experts and capacity factors scale the experts' rows", "[ops]") {
    ModelSpec model = mixture();
    const ParallelPlan plan = specs::plan(1, 1, 1);
    CHECK(shardShape(model, plan, {{2048}}).tokensPerExpert == 2048 * 2 / 16);
    model.moe.loadImbalance = 1.5;
    CHECK(shardShape(model, plan, {{2048}}).tokensPerExpert == 384);
    model.moe.capacityFactor = 1.25;
    CHECK(shardShape(model, plan, {{2048}}).tokensPerExpert == 320);
}

TEST_CASE("latent attention keeps compressed rows when its up-projections are recomputed", "[memory]") {
    const ModelSpec model = deepSeek();
    ParallelPlan plan = specs::plan(1, 1, 1);
    const ShardShape shape = shardShape(model, plan, {{4096}});
    const LayerActivations whole = layerActivations(model, plan, shape);
    plan.recompute = Recompute::selective;
    plan.recomputeModules = kRecomputeLatentUp;
    const LayerActivations kept = layerActivations(model, plan, shape);
    // q, k (192 columns a head) and v (128) of 128 heads go.
    CHECK(whole.kept.value() - kept.kept.value() == Approx(4096.0 * 128 * (2 * 192 + 128) * 2));
    CHECK(whole.working == whole.gradients);
    CHECK((kept.working - kept.gradients).value() == Approx(whole.kept.value() - kept.kept.value()));
}

TEST_CASE("context parallelism divides attention and exchanges keys and values", "[ops]") {
    const ModelSpec model = specs::llama8B();
    const MicroBatch microBatch{{8192}};
    const ParallelPlan one = specs::plan(1, 1, 1);
    const double whole = productFlops(layerForward(model, one, shardShape(model, one, microBatch)));
    ParallelPlan plan = specs::plan(1, 1, 1);
    plan.cp = 4;
    const OpSequence ring = layerForward(model, plan, shardShape(model, plan, microBatch));
    CHECK(productFlops(ring, 4) == Approx(whole));
    CHECK(bytesOf(ring, "kv_exchange") == 8192.0 * 2 * 8 * 128 * 2);
    plan.cpAllToAll = 4;
    const OpSequence exchanged = layerForward(model, plan, shardShape(model, plan, microBatch));
    CHECK(productFlops(exchanged, 4) == Approx(whole));
    CHECK(bytesOf(exchanged, "kv_exchange") == 0.0);
    CHECK(bytesOf(exchanged, "qkv_exchange") == 2048.0 * (32 + 16) * 128 * 2);
    plan.cpAllToAll = 2;
    CHECK(productFlops(layerForward(model, plan, shardShape(model, plan, microBatch)), 4) == Approx(whole));
    plan.cpAllToAll = 3;
    CHECK_THROWS_WITH(validate(plan, model, specs::a100(4)), Catch::Contains("cp_all_to_all 3 does not divide cp 4"));
}

TEST_CASE("a sliding window computes the pairs inside it", "[ops]") {
    ModelSpec model = specs::llama8B();
    model.slidingWindow = 1024;
    model.fullAttentionEvery = 2;
    CHECK(layerKind(model, 0).mixer == Mixer::window);
    CHECK(layerKind(model, 1).mixer == Mixer::attention);
    const ParallelPlan plan = specs::plan(1, 1, 1);
    const ShardShape shape = shardShape(model, plan, {{4096, 512}});
    CHECK(shape.windowPairs == 1024.0 * 1025 / 2 + 3072.0 * 1024 + 512.0 * 513 / 2);
}

TEST_CASE("layer patterns say which layers mix, multiply and route", "[spec]") {
    ModelSpec model = mixture();
    model.layerPattern = "M-*E";
    model.stateSpace = {16, 64, 128, 8, 4, 256, false};
    const LayerMix mix = layerMix(model, {3, 5});
    REQUIRE(mix.kinds.size() == 4);
    CHECK(mix.of(0, 0) == 1);
    CHECK(mix.of(1, 0) == 1);
    CHECK(mix.of(1, 3) == 2);
    ParallelPlan plan = specs::plan(2, 2, 1);
    plan.sequenceParallel = true;
    CHECK(predict(specs::scenario(model, plan, 2048, 4, 1)).metrics.step.value() > 0.0);
    model.layerPattern = "MX";
    CHECK_THROWS_WITH(validate(model), Catch::Contains("'X' at place 2"));
}

TEST_CASE("parameters are held once, however experts and layers are spread", "[memory][laws]") {
    CHECK(rc::check("sum over ranks", [] {
        const ModelSpec model = mixture();
        ParallelPlan plan = specs::plan(*rc::gen::element(1, 2), *rc::gen::element(1, 2, 4), *rc::gen::element(4, 8));
        plan.sequenceParallel = true;
        plan.ep = *rc::gen::element(1, 2, 4);
        plan.etp = *rc::gen::element(1, plan.tp);
        double experts = 0.0;
        for (const StageParameters& stage : stageParameters(model, plan)) experts += stage.experts;
        RC_ASSERT(std::abs(experts * plan.ep * plan.etp / (7 * 16 * 3.0 * 1024 * 512) - 1.0) < 1e-12);
    }));
}

TEST_CASE("sharding experts over more ranks saves memory, and a scenario with all of it adds up", "[predict]") {
    ParallelPlan plan = specs::plan(2, 2, 4);
    plan.sequenceParallel = true;
    plan.sharding = Sharding::zero1;
    ModelSpec model = mixture();
    const auto peak = [&](int ep) {
        plan.ep = ep;
        return predict(specs::scenario(model, plan, 2048, 32, 1)).metrics.peakMemory.value();
    };
    CHECK(peak(8) < peak(4));
    CHECK(peak(4) < peak(1));
    model.mtpLayers = 1;
    plan.expertOverlap = ExpertOverlap::sharedExperts;
    const Prediction prediction = predict(specs::scenario(model, plan, 2048, 32, 1));
    double sum = 0.0;
    for (const auto& [name, seconds] : prediction.breakdown) sum += seconds.value();
    CHECK(sum == Approx(prediction.metrics.step.value()));
    CHECK(prediction.breakdown.at("ep_comm").value() > 0.0);
    plan.expertOverlap = ExpertOverlap::none;
    const Prediction open = predict(specs::scenario(model, plan, 2048, 32, 1));
    CHECK(open.metrics.step > prediction.metrics.step);
}

TEST_CASE("fully sharded data parallelism over part of the ranks keeps more and gathers nearer", "[predict]") {
    ParallelPlan plan = specs::plan(1, 1, 32);
    plan.sharding = Sharding::zero3;
    const ModelSpec model = specs::llama8B();
    const auto onSlowNetwork = [&] {
        Scenario scenario = specs::scenario(model, plan, 2048, 32, 1);
        scenario.cluster.links.back().bandwidth = 3_GBps;
        return predict(scenario);
    };
    const Prediction all = onSlowNetwork();
    plan.shardRanks = 8;
    const Prediction node = onSlowNetwork();
    CHECK(node.metrics.peakMemory > all.metrics.peakMemory);
    CHECK(node.metrics.step < all.metrics.step);
    plan.shardRanks = 5;
    CHECK_THROWS_WITH(predict(specs::scenario(model, plan, 2048, 32, 1)), Catch::Contains("shard_ranks 5"));
}
