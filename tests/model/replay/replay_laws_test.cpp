// Laws of replay for all inputs: a job without delays replays to what was recorded, evening everything out is the
// ideal, a factor of 1 changes nothing, less work is never slower.
#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/replay/straggler_analysis.hpp"
#include "model/replay/what_if.hpp"
#include "tests/support/synthetic_replay_job.hpp"

using namespace orrery;
using test::SyntheticSizes;

namespace {

SyntheticSizes drawSizes() {
    SyntheticSizes sizes;
    sizes.dp = *rc::gen::inRange(1, 4);
    sizes.pp = *rc::gen::inRange(1, 5);
    sizes.chunks = sizes.pp > 1 ? *rc::gen::inRange(1, 4) : 1;
    sizes.steps = *rc::gen::inRange(1, 3);
    sizes.microBatches = *rc::gen::inRange(1, 5) * sizes.pp;
    return sizes;
}

/// Every op takes its own time.
ReplayJob drawJob() {
    return test::syntheticJob(
        drawSizes(), [](const ReplayOp&, const OpType&) -> std::int64_t { return 1000 * *rc::gen::inRange(1, 5000); });
}

/// One member of every group is always in time.
bool mayComeEarly(const ReplayOp& op, const OpType& type) {
    switch (type.scope) {
        case SyncScope::pair:
            return type.role == OpRole::forwardSend || type.role == OpRole::backwardSend;
        case SyncScope::replicas:
            return op.dp > 0;
        case SyncScope::endStages:
            return op.stage > 0;
        case SyncScope::all:
            return op.dp > 0 || op.stage > 0;
        default:
            return false;
    }
}

void checkSame(const std::vector<double>& a, const std::vector<double>& b) {
    RC_ASSERT(a.size() == b.size());
    for (std::size_t k = 0; k < a.size(); ++k) RC_ASSERT(std::abs(a[k] - b[k]) <= 1e-9 * std::abs(b[k]) + 1e-12);
}

}  // namespace

TEST_CASE("A job that ran without delays replays to its recorded steps, op by op", "[replay]") {
    CHECK(rc::check([] {
        ReplayJob job = drawJob();
        const ReplayGraph graph(std::move(job));
        RC_ASSERT(graph.warnings().empty());
        for (std::size_t id = 0; id < graph.job().ops.size(); ++id) {
            RC_ASSERT(graph.recorded()[id] == static_cast<double>(graph.job().ops[id].duration));
        }
        checkSame(graph.simulate(graph.recorded()), graph.recordedSteps());
    }));
}

TEST_CASE("Evening everything out gives the ideal step, however it is asked for", "[replay]") {
    CHECK(rc::check([] {
        const ReplayGraph graph(drawJob());
        const auto even = evenDurations(graph);
        const auto ideal = graph.simulate(even);
        checkSame(graph.simulate(replaced(graph, graph.recorded(), parseWhatIfTarget("all", graph), even)), ideal);
        auto both = replaced(graph, graph.recorded(), parseWhatIfTarget("compute", graph), even);
        both = replaced(graph, both, parseWhatIfTarget("comm", graph), even);
        checkSame(graph.simulate(both), ideal);
        auto stages = graph.recorded();
        for (int stage = 0; stage < graph.job().pp; ++stage) {
            stages = replaced(graph, stages, parseWhatIfTarget("stage:" + std::to_string(stage), graph), even);
        }
        checkSame(graph.simulate(stages), ideal);
    }));
}

TEST_CASE("A factor of 1 changes nothing, a factor for all scales the step, less is never slower", "[replay]") {
    CHECK(rc::check([] {
        const ReplayGraph graph(drawJob());
        const auto all = parseWhatIfTarget("all", graph);
        const auto base = graph.simulate(graph.recorded());
        checkSame(graph.simulate(scaled(graph, graph.recorded(), all, 1.0)), base);
        auto twice = base;
        for (auto& step : twice) step *= 2.0;
        checkSame(graph.simulate(scaled(graph, graph.recorded(), all, 2.0)), twice);
        const auto& types = graph.job().types;
        const auto op = "op:" + types[*rc::gen::inRange<std::size_t>(0, types.size())].name;
        const auto faster = graph.simulate(scaled(graph, graph.recorded(), parseWhatIfTarget(op, graph), 0.5));
        for (std::size_t k = 0; k < base.size(); ++k) RC_ASSERT(faster[k] <= base[k] * (1.0 + 1e-12));
    }));
}

TEST_CASE("Delays between ops are not part of the replayed step, nor is waiting for a peer", "[replay]") {
    CHECK(rc::check([] {
        const ReplayGraph calm(drawJob());
        ReplayJob job = calm.job();
        for (auto& op : job.ops) {
            op.start *= 3;  // a gap after every op
            if (!mayComeEarly(op, job.types[op.type])) continue;
            const auto early = *rc::gen::inRange(0, 1000);  // ns; gaps are longer
            op.start -= early;
            op.duration += early;
        }
        const ReplayGraph delayed(job);
        RC_ASSERT(delayed.recorded() == calm.recorded());
        checkSame(delayed.simulate(delayed.recorded()), calm.recordedSteps());
        for (std::size_t k = 0; k < job.steps.size(); ++k) {
            RC_ASSERT(delayed.recordedSteps()[k] > calm.recordedSteps()[k]);
        }
    }));
}

TEST_CASE("With all ops of a type equal, nothing is slower than ideal", "[replay]") {
    CHECK(rc::check([] {
        const ReplayGraph graph(test::syntheticJob(drawSizes()));
        const auto analysis = analyseStragglers(graph);
        RC_ASSERT(std::abs(analysis.slowdown - 1.0) < 1e-9);
        RC_ASSERT(analysis.cause == StragglerCause::none);
        for (const auto& [op, slowdown] : analysis.byOp) RC_ASSERT(std::abs(slowdown - 1.0) < 1e-9);
    }));
}
