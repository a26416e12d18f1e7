// What has to add up, and what bounds a step from below.
#include <cmath>
#include <map>

#include <catch2/catch.hpp>

#include "draw.hpp"
#include "model/predict/model_flops.hpp"

using namespace orrery;

TEST_CASE("the breakdown of any job adds up to the step, and no stage works longer than it", "[laws]") {
    CHECK(rc::check("sums", [] {
        const Scenario scenario = laws::drawScenario();
        const Prediction prediction = predict(scenario);
        const double step = prediction.metrics.step.value();
        double sum = 0.0;
        for (const auto& [key, seconds] : prediction.breakdown) {
            RC_LOG(key);
            RC_ASSERT(seconds.value() >= -laws::kRounding * step);
            sum += seconds.value();
        }
        RC_ASSERT(std::abs(sum - step) <= laws::kRounding * step);
        for (const StagePrediction& stage : prediction.stages) {
            RC_ASSERT(stage.idle.value() >= -laws::kRounding * step);
            RC_ASSERT(std::abs((stage.compute + stage.exposedComm + stage.idle).value() - step) <=
                      laws::kRounding * step);
        }
        RC_ASSERT(prediction.metrics.hfu >= prediction.metrics.mfu * (1.0 - laws::kRounding));
        RC_ASSERT(prediction.metrics.imbalance >= 1.0 - laws::kRounding);
    }));
}

TEST_CASE("a step is at least the way of each micro-batch through all stages and back", "[laws]") {
    CHECK(rc::check("critical path", [] {
        const Scenario scenario = laws::drawScenario();
        const Prediction prediction = predict(scenario, {true, false});
        const int inside = scenario.plan.tp * scenario.plan.cp;
        std::map<std::pair<int, int>, double> path;  // of (replica, micro-batch)
        for (std::size_t i = 0; i < prediction.timeline.size(); ++i) {
            const Span span = prediction.timeline.span(i);
            const Track& track = prediction.timeline.tracks[span.track];
            if (track.lane != Lane::task) continue;
            if (span.phase != Phase::forward && span.phase != Phase::backward && span.phase != Phase::recompute)
                continue;
            const int replica = track.rank / inside % scenario.plan.dp;
            path[std::pair(replica, int{span.microBatch})] += 1e-9 * static_cast<double>(span.duration);
        }
        RC_ASSERT(path.size() == static_cast<std::size_t>(scenario.plan.dp) * scenario.workload.replicas[0].size());
        for (const auto& [of, seconds] : path) RC_ASSERT(prediction.metrics.step.value() >= seconds - 1e-6);
    }));
}

TEST_CASE("tokens and model FLOPs are the same under every plan", "[laws]") {
    CHECK(rc::check("conservation", [] {
        const Scenario scenario = laws::drawScenario();
        const Prediction prediction = predict(scenario);
        const double deviceSeconds = prediction.metrics.step.value() * scenario.plan.worldSize();
        double tokens = 0.0;
        double pairs = 0.0;
        for (const auto& replica : scenario.workload.replicas) {
            for (const MicroBatch& microBatch : replica) {
                tokens += static_cast<double>(microBatch.tokens());
                pairs += microBatch.causalPairs();
            }
        }
        const double flops = modelFlops(scenario.model, tokens, pairs).value();
        RC_ASSERT(std::abs(prediction.metrics.tokensPerSecondPerGpu * deviceSeconds / tokens - 1.0) < 1e-9);
        if (scenario.model.slidingWindow == 0)  // windows count fewer pairs than documents have
            RC_ASSERT(std::abs(prediction.metrics.modelTflopsPerGpu * 1e12 * deviceSeconds / flops - 1.0) < 1e-9);
    }));
}

TEST_CASE("a group of one costs a job nothing", "[laws]") {
    CHECK(rc::check("no communication inside one", [] {
        const Scenario scenario = laws::drawScenario();
        const ParallelPlan& plan = scenario.plan;
        const Breakdown costs = predict(scenario).breakdown;
        const auto nothing = [&](const char* part) { return costs.at(part).value() <= 1e-15; };
        if (plan.tp == 1) RC_ASSERT(nothing("tp_comm"));
        if (plan.cp == 1) RC_ASSERT(nothing("cp_comm"));
        if (plan.ep == 1 && plan.etp == 1) RC_ASSERT(nothing("ep_comm"));
        if (plan.pp == 1) RC_ASSERT(nothing("pp_comm"));
        const bool same = plan.dp * plan.cp == 1 && plan.expertDataRanks() == 1;
        const bool tied = scenario.model.tiedEmbeddings && !edgesTogether(plan);
        const bool copies = placementOf(plan) == Placement::mirror;
        if (same && !tied && !copies && !plan.clipGradients) RC_ASSERT(nothing("dp_comm"));
        if (plan.worldSize() == 1) RC_ASSERT(std::abs(costs.at("bubble").value()) <= 1e-12);
    }));
}
