// Predictions of many plans that share what they have in common are those of each plan alone.
#include <catch2/catch.hpp>

#include "draw.hpp"
#include "model/predict/predict_memo.hpp"

using namespace orrery;

TEST_CASE("a memo changes no prediction, whatever was predicted before", "[laws]") {
    CHECK(rc::check("same numbers", [] {
        const ModelSpec model = laws::drawModel();
        const ClusterSpec cluster = specs::a100(64);
        const CostModel cost(cluster, {});
        PredictMemo memo;
        for (int i = 0; i < 6; ++i) {
            ParallelPlan plan = laws::drawPlan(model);
            plan.dp *= 64 / plan.worldSize();
            if (plan.worldSize() != 64) continue;
            const Workload whole = Workload::fixed(1024, 16L * plan.dp, *rc::gen::element(1, 2), plan.dp);
            const IndexedWorkload indexed(whole);
            const Prediction alone = predict(model, plan, indexed, cost);
            const Prediction shared = predict(model, plan, indexed, cost, {}, memo);
            RC_ASSERT(alone.breakdown == shared.breakdown);
            RC_ASSERT(alone.metrics.step == shared.metrics.step);
            RC_ASSERT(alone.metrics.peakMemory == shared.metrics.peakMemory);
            const Prediction bound = predict(model, plan, indexed, cost, {.boundInsteadOfRun = true}, memo);
            RC_ASSERT(bound.metrics.step.value() <= alone.metrics.step.value() * (1.0 + laws::kRounding));
            RC_ASSERT(bound.metrics.peakMemory == alone.metrics.peakMemory);
            if (!bound.isBound) RC_ASSERT(bound.breakdown == alone.breakdown);
        }
    }));
}
