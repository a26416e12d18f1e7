// A cause that was put into a job is the cause that replay names.
#include <catch2/catch.hpp>

#include "model/replay/straggler_analysis.hpp"
#include "model/replay/what_if.hpp"
#include "model/replay/workload_check.hpp"
#include "tests/support/synthetic_replay_job.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

StragglerAnalysis analysed(const test::SyntheticSizes& sizes, const test::DurationOf& durationOf) {
    return analyseStragglers(ReplayGraph(test::syntheticJob(sizes, durationOf)));
}

bool pass(const OpType& type) {
    return type.role == OpRole::forward || type.role == OpRole::backward;
}

/// Tokens of a micro-batch: one long document among short ones, at another place in every step and DP rank.
double pairsOf(const ReplayOp& op) {
    return 1e6 * (1.0 + (op.microBatch * 7 + op.dp * 3 + op.step * 5) % 4);
}

/// A job whose passes take what their documents call for, at `slow` times the pace on one worker.
ReplayGraph documentsJob(double slow) {
    const auto durationOf = [&](const ReplayOp& op, const OpType& type) -> std::int64_t {
        if (!pass(type)) return test::evenDuration(op, type);
        const double pace = op.dp == 1 && op.stage == 2 ? slow : 1.0;
        return std::llround(pace * (type.role == OpRole::forward ? 1.0 : 2.0) * (5e5 + pairsOf(op)));
    };
    ReplayJob job = test::syntheticJob({3, 4, 1, 3, 8}, durationOf);
    for (auto& op : job.ops) {
        if (!pass(job.types[op.type])) continue;
        op.tokens = 4096;
        op.pairs = pairsOf(op);
    }
    return ReplayGraph(std::move(job));
}

}  // namespace

TEST_CASE("A slow worker is named, with the slowdown of its DP rank and stage", "[replay]") {
    const auto chunks = GENERATE(1, 2);
    const auto analysis = analysed({4, 4, chunks, 2, 8}, [](const ReplayOp& op, const OpType& type) {
        const bool slow = pass(type) && op.dp == 2 && op.stage == 1;
        return test::evenDuration(op, type) * (slow ? 3 : 1);
    });
    CHECK(analysis.cause == StragglerCause::slowWorkers);
    CHECK_THAT(analysis.causeText, Contains("one slow worker: DP rank 2, stage 1"));
    REQUIRE(analysis.slowestWorkers.size() == 1);
    CHECK(analysis.byWorker.front().dp == 2);
    CHECK(analysis.byWorker.front().stage == 1);
    CHECK(analysis.slowdown > 1.5);
    CHECK(analysis.byDpRank[2] == Approx(analysis.slowdown).epsilon(0.05));
    CHECK(analysis.byDpRank[0] < 1.05);
}

TEST_CASE("A long last stage is told from a slow worker in it", "[replay]") {
    const auto analysis = analysed({2, 4, 1, 2, 8}, [](const ReplayOp& op, const OpType& type) {
        return test::evenDuration(op, type) * (pass(type) && op.stage == 3 ? 2 : 1);
    });
    CHECK(analysis.cause == StragglerCause::lastStage);
    CHECK_THAT(analysis.causeText, Contains("long last stage"));
    CHECK(analysis.explained.lastStage > 0.9);
    CHECK(analysis.explained.slowestWorkers < 0.2);
}

TEST_CASE("A long stage in the middle is an uneven stage", "[replay]") {
    const auto analysis = analysed({2, 4, 1, 2, 8}, [](const ReplayOp& op, const OpType& type) {
        return test::evenDuration(op, type) * (pass(type) && op.stage == 1 ? 2 : 1);
    });
    CHECK(analysis.cause == StragglerCause::unevenStages);
    CHECK_THAT(analysis.causeText, Contains("stage 1"));
}

TEST_CASE("Slow transfers are communication", "[replay]") {
    const auto analysis = analysed({2, 4, 1, 2, 8}, [](const ReplayOp& op, const OpType& type) {
        const bool slow = type.name == "grads-reduce-scatter" && op.stage == 2;
        return test::evenDuration(op, type) * (slow ? 300 : 1);
    });
    CHECK(analysis.cause == StragglerCause::communication);
    CHECK_THAT(analysis.causeText, Contains("grads-reduce-scatter"));
    CHECK(analysis.byOp.front().first == "grads-reduce-scatter");
}

TEST_CASE("Long documents are told from slow devices by the work of each micro-batch", "[replay]") {
    const ReplayGraph equal = documentsJob(1.0);
    const auto analysis = analyseStragglers(equal);
    CHECK(analysis.cause == StragglerCause::unevenMicroBatches);
    CHECK(analysis.forwardBackwardCorrelation > 0.99);
    const auto lengths = checkWorkload(equal);
    REQUIRE(lengths);
    CHECK(lengths->devices == Approx(1.0).margin(1e-6));
    CHECK(lengths->rest == Approx(1.0).margin(1e-6));
    CHECK(lengths->lengths > 1.1);
    CHECK(lengths->varianceByLengths == Approx(1.0).margin(1e-6));
    CHECK_THAT(lengths->verdict, Contains("sequence lengths explain"));

    const ReplayGraph slow = documentsJob(2.5);
    const auto devices = checkWorkload(slow);
    REQUIRE(devices);
    CHECK(devices->workers.front().dp == 1);
    CHECK(devices->workers.front().stage == 2);
    CHECK(devices->workers.front().slowdown == Approx(2.5).epsilon(0.01));
    CHECK(devices->workers[1].slowdown == Approx(1.0).epsilon(0.01));
    CHECK_THAT(devices->verdict, Contains("slow devices explain") && Contains("DP rank 1, stage 2"));
    CHECK(devices->evenStep * devices->lengths * devices->devices * devices->rest ==
          Approx(meanStep(slow.simulate(slow.recorded()))));
}

TEST_CASE("Without recorded work, or with equal work, nothing is said of documents", "[replay]") {
    ReplayJob job = test::syntheticJob({});
    CHECK_FALSE(checkWorkload(ReplayGraph(job)));
    for (auto& op : job.ops) op.tokens = 128;
    CHECK_FALSE(checkWorkload(ReplayGraph(job)));
}
