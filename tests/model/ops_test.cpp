// Operators: exact work, conserved over plans and packings.
#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/ops/edge_ops.hpp"
#include "model/ops/layer_ops.hpp"
#include "model/ops/optimizer_ops.hpp"
#include "model/predict/model_flops.hpp"
#include "model/predict/published_flops.hpp"
#include "specs.hpp"

using namespace orrery;

namespace {

bool isProduct(const Op& op) {
    return op.cls == OpClass::gemm || op.cls == OpClass::attention;
}

double productFlops(const OpSequence& ops) {
    double sum = 0.0;
    for (const PlacedOp& placed : ops) {
        if (isProduct(placed.op)) sum += placed.op.flops.value();
    }
    return sum;
}

/// Forward matrix products of the whole model on one of tp ranks.
double forwardOnRank(const ModelSpec& model, const ParallelPlan& plan, const MicroBatch& microBatch) {
    const ShardShape shape = shardShape(model, plan, microBatch);
    return static_cast<double>(model.layers) * productFlops(layerForward(model, plan, shape)) +
           productFlops(headForward(model, plan, shape));
}

const Op* find(const OpSequence& ops, std::string_view name, Pass pass) {
    for (const PlacedOp& placed : ops) {
        if (placed.op.name == name && placed.op.pass == pass) return &placed.op;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("FLOPs are conserved: ranks x operators = the model's count, for any split and packing", "[ops]") {
    CHECK(rc::check("tp x rank's products == forwardFlops", [] {
        const int tp = *rc::gen::element(1, 2, 4, 8);
        ModelSpec model =
            specs::llama(*rc::gen::inRange(1, 5), 64 * *rc::gen::inRange(1, 9), 8, *rc::gen::element(8, 4),
                         64 * *rc::gen::inRange(1, 20), 8 * *rc::gen::inRange(1, 1000));
        if (tp > 4) model.kvHeads = 8;  // fewer kv heads than ranks are repeated, which is extra work
        model.gatedMlp = *rc::gen::arbitrary<bool>();
        ParallelPlan plan = specs::plan(tp, 1, 1);
        plan.sequenceParallel = *rc::gen::arbitrary<bool>();
        MicroBatch microBatch;
        microBatch.documents =
            *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 4000)));
        const double expected =
            forwardFlops(model, static_cast<double>(microBatch.tokens()), microBatch.causalPairs()).value();
        RC_ASSERT(std::abs(tp * forwardOnRank(model, plan, microBatch) / expected - 1.0) < 1e-12);
    }));
}

TEST_CASE("backward GEMMs do twice the forward's work, in two halves of equal work", "[ops]") {
    const ModelSpec model = specs::llama8B();
    const ParallelPlan plan = specs::plan(4, 1, 1);
    const ShardShape shape = shardShape(model, plan, {{4096, 1000}});
    const auto sum = [](const OpSequence& ops, Pass pass) {
        double flops = 0.0;
        for (const PlacedOp& placed : ops) {
            if (placed.op.cls == OpClass::gemm && placed.op.pass == pass) flops += placed.op.flops.value();
        }
        return flops;
    };
    const double forward = sum(layerForward(model, plan, shape), Pass::forward);
    const OpSequence backward = layerBackward(model, plan, shape);
    CHECK(sum(backward, Pass::backwardInput) == Approx(forward).epsilon(1e-12));
    CHECK(sum(backward, Pass::backwardWeight) == Approx(forward).epsilon(1e-12));
}

TEST_CASE("fused attention computes causal pairs, 2 products forward and 5 backward", "[ops]") {
    const ModelSpec model = specs::llama8B();
    const ParallelPlan plan = specs::plan(8, 1, 1);
    const ShardShape shape = shardShape(model, plan, {{100, 28}});
    const double pairs = 100.0 * 101 / 2 + 28.0 * 29 / 2;
    const OpSequence backwardOps = layerBackward(model, plan, shape);
    const OpSequence forwardOps = layerForward(model, plan, shape);
    const Op* forward = find(forwardOps, "attention", Pass::forward);
    const Op* backward = find(backwardOps, "attention", Pass::backwardInput);
    REQUIRE(forward != nullptr);
    REQUIRE(backward != nullptr);
    CHECK(forward->pairs == pairs);
    CHECK(forward->heads == 4);
    CHECK(forward->kvHeads == 1);
    CHECK(forward->flops.value() == 4.0 * pairs * 4 * 128);
    CHECK(backward->flops.value() == 2.5 * forward->flops.value());
    CHECK(forward->bytes.value() == 2.0 * 128 * (4 + 2 + 4) * 128);  // q, k, v and output once in bf16
}

TEST_CASE("attention without a fused kernel computes whole squares and moves the scores", "[ops]") {
    const ModelSpec model = specs::gpt(2, 1024, 16);
    ParallelPlan plan = specs::plan(2, 1, 1);
    plan.flashAttention = false;
    const OpSequence ops = layerForward(model, plan, shardShape(model, plan, {{512, 512, 256}}));
    const double squares = 2 * 512.0 * 512 + 256.0 * 256;
    double flops = 0.0;
    for (const PlacedOp& placed : ops) {
        if ((placed.modules & kRecomputeCoreAttention) != 0)
            flops += placed.op.cls == OpClass::gemm ? placed.op.flops.value() : 0.0;
    }
    CHECK(flops == 4.0 * squares * 512);
    const Op* softmax = find(ops, "attention_softmax", Pass::forward);
    REQUIRE(softmax != nullptr);
    CHECK(softmax->bytes.value() == 2 * 2 * squares * 8);
    CHECK(find(ops, "attention", Pass::forward) == nullptr);
}

TEST_CASE("collectives of tensor parallelism: 2 all-reduces a pass, or as many gathers and scatters", "[ops]") {
    const ModelSpec model = specs::gpt(2, 1024, 16);
    ParallelPlan plan = specs::plan(4, 1, 1);
    const double hidden = 2.0 * 2048 * 1024;
    const auto count = [&](const OpSequence& ops, OpClass cls) {
        int found = 0;
        for (const PlacedOp& placed : ops) {
            if (placed.op.cls != cls) continue;
            CHECK(placed.group == CommGroup::tensor);
            CHECK(placed.op.bytes.value() == hidden);
            ++found;
        }
        return found;
    };
    const ShardShape shape = shardShape(model, plan, {{2048}});
    CHECK(count(layerForward(model, plan, shape), OpClass::allReduce) == 2);
    CHECK(count(layerBackward(model, plan, shape), OpClass::allReduce) == 2);
    plan.sequenceParallel = true;
    const ShardShape sharded = shardShape(model, plan, {{2048}});
    CHECK(count(layerForward(model, plan, sharded), OpClass::allGather) == 2);
    CHECK(count(layerForward(model, plan, sharded), OpClass::reduceScatter) == 2);
    CHECK(count(layerBackward(model, plan, sharded), OpClass::allGather) == 4);  // gradients, and inputs again
    CHECK(count(layerBackward(model, plan, sharded), OpClass::reduceScatter) == 2);
    CHECK(count(layerForward(model, plan, sharded), OpClass::allReduce) == 0);
}

TEST_CASE("8-bit layers quantise inputs and gradients; the output matrix stays as stored", "[ops]") {
    const ModelSpec model = specs::llama8B();
    ParallelPlan plan = specs::plan(1, 1, 1);
    plan.precision = DType::fp8;
    const ShardShape shape = shardShape(model, plan, {{4096}});
    const auto casts = [](const OpSequence& ops) {
        double bytes = 0.0;
        for (const PlacedOp& placed : ops) bytes += placed.op.name == "cast" ? placed.op.bytes.value() : 0.0;
        return bytes;
    };
    const double t = 4096, h = 4096, f = 14336;
    CHECK(casts(layerForward(model, plan, shape)) == 4 * t * (h + h + h + f));             // inputs of the four layers
    CHECK(casts(layerBackward(model, plan, shape)) == 4 * t * (h + 2 * f + h + 1.5 * h));  // their outputs' gradients
    const OpSequence layer = layerForward(model, plan, shape);
    const OpSequence head = headForward(model, plan, shape);
    CHECK(find(layer, "qkv", Pass::forward)->dtype == DType::fp8);
    CHECK(find(head, "output", Pass::forward)->dtype == DType::bf16);
}

TEST_CASE("recomputation repeats the attention core or the layer", "[ops]") {
    const ModelSpec model = specs::gpt(2, 1024, 16);
    ParallelPlan plan = specs::plan(2, 1, 1);
    const ShardShape shape = shardShape(model, plan, {{2048}});
    CHECK(layerRecompute(model, plan, shape).empty());
    plan.recompute = Recompute::selective;
    CHECK(productFlops(layerRecompute(model, plan, shape)) == 4.0 * 2048 * 2049 / 2 * 512);
    plan.recompute = Recompute::full;
    CHECK(productFlops(layerRecompute(model, plan, shape)) == productFlops(layerForward(model, plan, shape)));
}

TEST_CASE("Adam moves 34 bytes a parameter in mixed precision and 32 in float32", "[ops]") {
    ParallelPlan plan = specs::plan(1, 1, 1);
    CHECK(optimizerStep(plan, 1000).op.bytes.value() == 34000);  // 24 state, 8 gradient and its reset, 2 weight
    CHECK(optimizerStateSize(plan).value() == 12);
    plan.parameterType = DType::fp32;
    CHECK(optimizerStep(plan, 1000).op.bytes.value() == 32000);
    CHECK(optimizerStateSize(plan).value() == 8);
}

TEST_CASE("published FLOP formulas are those of the papers", "[predict]") {
    const ModelSpec model = specs::gpt(96, 12288, 96);
    const double L = 96, h = 12288, s = 2048, V = 51200;
    CHECK(megatronFlopsPerToken(model, 2048).value() ==
          Approx(72 * L * h * h * (1 + s / (6 * h) + V / (12 * L * h))).epsilon(1e-12));
    CHECK(megatronRecomputeFlopsPerToken(model, 2048).value() ==
          Approx(96 * L * h * h * (1 + s / (6 * h) + V / (16 * L * h))).epsilon(1e-12));
}

TEST_CASE("hardware FLOPs add what is recomputed", "[predict]") {
    const ModelSpec model = specs::gpt(96, 12288, 96);
    const double tokens = 8 * 2048;
    const double pairs = tokens * 2049 / 2;
    ParallelPlan plan = specs::plan(1, 1, 1);
    const double once = modelFlops(model, tokens, pairs).value();
    CHECK(hardwareFlops(model, plan, tokens, pairs).value() == once);
    plan.recompute = Recompute::full;
    const double head = 2.0 * tokens * 51200 * 12288;
    CHECK(hardwareFlops(model, plan, tokens, pairs).value() == Approx(once * 4 / 3 - head));
}
