#include "model/predict/memory_curve.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "tests/model/laws/draw.hpp"
#include "tests/model/specs.hpp"

using namespace orrery;

TEST_CASE("The curve of each stage ends empty and peaks at the predicted activations", "[predict][memory]") {
    CHECK(rc::check("any plan", [] {
        Scenario scenario = laws::drawScenario();
        for (auto& replica : scenario.workload.replicas) replica = scenario.workload.replicas.front();
        const Prediction prediction = predict(scenario, {.timeline = true});
        const auto curves = memoryCurves(scenario, prediction.timeline);
        RC_ASSERT(curves.size() == prediction.stages.size());
        for (std::size_t s = 0; s < curves.size(); ++s) {
            const StagePrediction& stage = prediction.stages[s];
            const double predicted = (stage.memory.activations - stage.backwardWorking).value();
            RC_ASSERT(curves[s].stage == static_cast<int>(s));
            RC_ASSERT(std::abs(curves[s].peak.value() - predicted) <= 1e-6 * predicted + 1.0);
            RC_ASSERT(curves[s].points.back().activations.value() <= 1e-6 * predicted + 1.0);
        }
    }));
}
