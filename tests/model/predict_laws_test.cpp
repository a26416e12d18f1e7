// Laws of predictions for all plans: more hardware never hurts, parts add up, a group of one costs nothing.
#include <cmath>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "specs.hpp"

using namespace orrery;

namespace {

constexpr double kRounding = 1e-9;

/// A small model under a random plan; document lengths differ between replicas and micro-batches.
Scenario drawScenario() {
    ParallelPlan plan = specs::plan(*rc::gen::element(1, 2, 4), *rc::gen::element(1, 2, 4), *rc::gen::element(1, 2, 3));
    plan.schedule = *rc::gen::element(ScheduleKind::gpipe, ScheduleKind::oneFOneB, ScheduleKind::zbH1);
    plan.sequenceParallel = *rc::gen::arbitrary<bool>();
    plan.recompute = *rc::gen::element(Recompute::none, Recompute::selective, Recompute::full);
    plan.sharding = *rc::gen::element(Sharding::zero0, Sharding::zero1, Sharding::zero2, Sharding::zero3);
    plan.flashAttention = *rc::gen::arbitrary<bool>();
    plan.overlapGradReduce = *rc::gen::arbitrary<bool>();
    plan.overlapParamGather = *rc::gen::arbitrary<bool>();
    plan.overlapTp = *rc::gen::arbitrary<bool>();
    plan.clipGradients = *rc::gen::arbitrary<bool>();
    Scenario scenario;
    scenario.model = *rc::gen::arbitrary<bool>() ? specs::gpt(8, 1024, 16) : specs::llama(8, 1024, 16, 4, 2816, 32000);
    scenario.plan = plan;
    scenario.cluster = specs::a100(plan.worldSize());
    scenario.workload.sequenceLength = 2048;
    const int microBatches = *rc::gen::inRange(1, 7);
    for (int replica = 0; replica < plan.dp; ++replica) {
        auto& list = scenario.workload.replicas.emplace_back();
        for (int i = 0; i < microBatches; ++i) {
            MicroBatch microBatch;
            const int documents = *rc::gen::inRange(1, 4);
            for (int d = 0; d < documents; ++d) microBatch.documents.push_back(*rc::gen::inRange(1, 2049));
            list.push_back(std::move(microBatch));
        }
    }
    return scenario;
}

double stepOf(const Scenario& scenario) {
    return predict(scenario).metrics.step.value();
}

}  // namespace

TEST_CASE("better hardware never makes a step slower", "[predict][laws]") {
    CHECK(rc::check("FLOP/s, bandwidths, latency, device speed", [] {
        Scenario scenario = drawScenario();
        const double before = stepOf(scenario);
        const double gain = *rc::gen::element(1.1, 2.0, 10.0);
        switch (*rc::gen::inRange(0, 5)) {
            case 0:
                for (auto& [dtype, peak] : scenario.cluster.gpu.peaks) peak *= gain;
                scenario.cluster.gpu.vectorPeak *= gain;
                break;
            case 1:
                scenario.cluster.gpu.memoryBandwidth *= gain;
                break;
            case 2:
                for (LinkLevel& level : scenario.cluster.links) level.bandwidth *= gain;
                break;
            case 3:
                for (LinkLevel& level : scenario.cluster.links) level.latency /= gain;
                break;
            default:
                scenario.cluster.deviceSpeed.assign(static_cast<std::size_t>(scenario.cluster.gpus), gain);
        }
        RC_ASSERT(stepOf(scenario) <= before * (1.0 + kRounding));
    }));
}

TEST_CASE("a slow device slows the step, and at most by its factor", "[predict][laws]") {
    CHECK(rc::check("one device at half speed", [] {
        Scenario scenario = drawScenario();
        const double before = stepOf(scenario);
        scenario.cluster.deviceSpeed.assign(static_cast<std::size_t>(scenario.cluster.gpus), 1.0);
        scenario.cluster.deviceSpeed[*rc::gen::inRange<std::size_t>(0, scenario.cluster.deviceSpeed.size())] = 0.5;
        const double after = stepOf(scenario);
        RC_ASSERT(after >= before * (1.0 - kRounding));
        RC_ASSERT(after <= 2.0 * before * (1.0 + kRounding));
    }));
}

TEST_CASE("the breakdown adds up to the step, and no stage works longer than it", "[predict][laws]") {
    CHECK(rc::check("sums", [] {
        const Prediction prediction = predict(drawScenario());
        const double step = prediction.metrics.step.value();
        double sum = 0.0;
        for (const auto& [key, seconds] : prediction.breakdown) {
            RC_ASSERT(seconds.value() >= -kRounding * step);
            sum += seconds.value();
        }
        RC_ASSERT(std::abs(sum - step) <= kRounding * step);
        for (const StagePrediction& stage : prediction.stages) {
            RC_ASSERT(stage.idle.value() >= -kRounding * step);
            RC_ASSERT(std::abs((stage.compute + stage.exposedComm + stage.idle).value() - step) <= kRounding * step);
        }
        RC_ASSERT(prediction.metrics.mfu < 1.0);
        RC_ASSERT(prediction.metrics.hfu >= prediction.metrics.mfu * (1.0 - kRounding));
        RC_ASSERT(prediction.metrics.imbalance >= 1.0 - kRounding);
    }));
}

TEST_CASE("memory does not grow with tp, pp or the ZeRO stage", "[memory][laws]") {
    CHECK(rc::check("peak of the fullest stage", [] {
        ParallelPlan plan = specs::plan(*rc::gen::element(1, 2), *rc::gen::element(1, 2), *rc::gen::element(2, 4));
        plan.sequenceParallel = true;
        plan.recompute = *rc::gen::element(Recompute::none, Recompute::selective, Recompute::full);
        const ModelSpec model = specs::llama(16, 2048, 16, 8, 8192, 32000);
        const auto states = [&](const ParallelPlan& p) {
            const MemoryUse use = predict(specs::scenario(model, p, 1024, 16, 1)).stages.front().memory;
            return (use.weights + use.gradients + use.optimizer).value();
        };
        const auto peak = [&](const ParallelPlan& p) {
            return predict(specs::scenario(model, p, 1024, 16, 1)).metrics.peakMemory.value();
        };
        ParallelPlan wider = plan;
        wider.tp *= 2;
        RC_ASSERT(peak(wider) <= peak(plan));
        ParallelPlan deeper = plan;
        deeper.pp *= 2;
        RC_ASSERT(states(deeper) <= states(plan));
        for (const Sharding next : {Sharding::zero1, Sharding::zero2, Sharding::zero3}) {
            ParallelPlan sharded = plan;
            sharded.sharding = next;
            RC_ASSERT(states(sharded) <= states(plan));
            plan = sharded;
        }
    }));
}

TEST_CASE("a plan on one device communicates nothing and waits for nobody", "[predict]") {
    ParallelPlan plan = specs::plan(1, 1, 1);
    plan.sequenceParallel = true;
    plan.sharding = Sharding::zero3;
    Scenario scenario = specs::scenario(specs::gpt(8, 1024, 16), plan, 1024, 4, 1);
    scenario.cluster.gpus = 1;
    const Prediction prediction = predict(scenario);
    CHECK(prediction.metrics.exposedCommFraction == 0.0);
    CHECK(prediction.metrics.bubbleFraction == Approx(0.0).margin(1e-12));
    ParallelPlan plain = specs::plan(1, 1, 1);
    CHECK(predict(specs::scenario(specs::gpt(8, 1024, 16), plain, 1024, 4, 1)).metrics.step.value() ==
          Approx(prediction.metrics.step.value()).epsilon(1e-12));
}

TEST_CASE("short documents cost less than one long one of the same tokens", "[predict]") {
    Scenario packed = specs::scenario(specs::llama8B(), specs::plan(8, 1, 1), 8192, 1, 1);
    Scenario whole = packed;
    packed.workload.replicas[0][0].documents.assign(8, 1024);
    CHECK(stepOf(packed) < stepOf(whole));
    const auto attention = [](const Scenario& s) { return predict(s).breakdown.at("attention"); };
    CHECK(attention(packed).value() < 0.3 * attention(whole).value());
}
