// What replay does with jobs that are small enough to compute by hand, and with jobs that are broken.
#include <catch2/catch.hpp>

#include "model/replay/straggler_analysis.hpp"
#include "model/replay/what_if.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/synthetic_replay_job.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

std::string refusal(ReplayJob job) {
    try {
        const ReplayGraph graph(std::move(job));
    } catch (const InputError& error) {
        return error.what();
    }
    return "not refused";
}

template <typename Predicate>
void erase(ReplayJob& job, Predicate drop) {
    std::erase_if(job.ops, [&](const ReplayOp& op) { return drop(op, job.types[op.type].name); });
}

}  // namespace

TEST_CASE("1F1B of equal stages takes (m + p - 1)(f + b) and the transfers along the way", "[replay]") {
    // Without transfers and the step's end it is the closed form of Narayanan et al. 2021, section 2.2.
    ReplayJob job = test::syntheticJob({1, 4, 1, 1, 8}, [](const ReplayOp& op, const OpType& type) -> std::int64_t {
        return isPass(type.role) ? test::evenDuration(op, type) : 0;
    });
    const ReplayGraph graph(job);
    CHECK(graph.simulate(graph.recorded()).front() == Approx((8 + 4 - 1) * 3e-3));
}

TEST_CASE("A job without pipeline, gathers, gc and optimizer is replayed all the same", "[replay]") {
    ReplayJob job = test::syntheticJob({3, 1, 1, 2, 4});
    erase(job, [](const ReplayOp&, const std::string& name) { return name.find("compute") == std::string::npos; });
    const ReplayGraph graph(job);
    CHECK(graph.warnings().empty());
    CHECK(analyseStragglers(graph).noDelay == Approx(4 * 3e-3));
}

TEST_CASE("A step that lacks phases is left out and named; when all do, the job is refused", "[replay]") {
    const auto missing = GENERATE(as<std::string>{}, "forward-recv", "backward-send", "params-all-gather",
                                  "optimizer-clip-main-grad", "backward-compute");
    ReplayJob job = test::syntheticJob({2, 4, 1, 3, 8});
    const auto gone = [&](const ReplayOp& op, const std::string& name) {
        return op.dp == 1 && op.stage == 2 && name == missing && (op.microBatch < 1);
    };
    ReplayJob one = job;
    erase(one, [&](const ReplayOp& op, const std::string& name) { return op.step == 1 && gone(op, name); });
    INFO(missing);
    const ReplayGraph graph(one);
    CHECK(graph.job().steps == std::vector<std::int64_t>{0, 20});
    REQUIRE(graph.warnings().size() == 1);
    CHECK_THAT(graph.warnings().front(), Contains("step 10 is left out"));
    CHECK(analyseStragglers(graph).slowdown == Approx(1.0));

    if (missing == "optimizer-clip-main-grad") return;  // missing always is a habit of the recorder, see below
    erase(job, gone);
    CHECK_THAT(refusal(job), Contains("no step is complete (step 0: "));
}

TEST_CASE("A collective that some workers never record synchronises the others, and is told", "[replay]") {
    ReplayJob job = test::syntheticJob({2, 4, 1, 2, 8});
    erase(job, [](const ReplayOp& op, const std::string& name) {
        return op.stage == 3 && name == "embedding-grads-all-reduce";
    });
    const ReplayGraph graph(job);
    CHECK(graph.job().steps.size() == 2);
    REQUIRE(graph.warnings().size() == 1);
    CHECK_THAT(graph.warnings().front(), Contains("embedding-grads-all-reduce: 1 of 2 workers"));
}

TEST_CASE("Gradients that are reduced during the passes follow the last backward pass of their chunk", "[replay]") {
    const auto durationOf = [](const ReplayOp& op, const OpType& type) -> std::int64_t {
        if (type.role == OpRole::gradReduce) return op.chunk == 1 ? 2'000'000 : 1000;
        return isPass(type.role) ? test::evenDuration(op, type) : 0;
    };
    ReplayJob late = test::syntheticJob({1, 1, 2, 1, 2}, durationOf);
    ReplayJob early = late;
    std::int64_t lastOfChunk1 = 0;
    for (const auto& op : early.ops) {
        if (op.chunk == 1 && early.types[op.type].role == OpRole::backward) {
            lastOfChunk1 = std::max(lastOfChunk1, op.start + op.duration);
        }
    }
    for (auto& op : early.ops) {
        if (op.chunk == 1 && early.types[op.type].role == OpRole::gradReduce) op.start = lastOfChunk1;
    }
    const ReplayGraph after(late), during(early);
    const double passes = after.simulate(after.recorded()).front() - 2e-3 - 1e-6;
    CHECK(passes == Approx(4 * 3e-3));
    CHECK(during.simulate(during.recorded()).front() == Approx(passes + 1e-6));  // hidden behind chunk 0
}

TEST_CASE("Broken jobs are refused with the place", "[replay]") {
    ReplayJob job = test::syntheticJob({2, 4, 1, 1, 8});
    SECTION("a negative duration") {
        job.ops[7].duration = -5;
        CHECK_THAT(refusal(job), Contains("ends 5 ns before it starts"));
    }
    SECTION("a worker that recorded nothing") {
        erase(job, [](const ReplayOp& op, const std::string&) { return op.dp == 1 && op.stage == 3; });
        CHECK_THAT(refusal(job), Contains("7 of 8 workers recorded it"));
    }
    SECTION("stages that ran their micro-batches in opposite orders wait for each other") {
        for (auto& op : job.ops) {
            if (op.stage == 1 && op.microBatch >= 0) op.microBatch = 7 - op.microBatch;
        }
        CHECK_THAT(refusal(job), Contains("wait for each other in a circle"));
    }
    SECTION("no step at all") {
        job.ops.clear();
        job.steps.clear();
        CHECK_THAT(refusal(job), Contains("no step is complete"));
    }
}

TEST_CASE("Interleaved recorders that mark transfers at the ends of the model are understood", "[replay]") {
    const ReplayJob plain = test::syntheticJob({1, 2, 2, 1, 4});
    ReplayJob marked = plain;
    for (std::size_t t = 0; t < plain.types.size(); ++t) {
        if (plain.types[t].name != "forward-recv") continue;
        for (const auto& op : plain.ops) {  // one for every first pass of stage 0, which receives nothing
            if (plain.types[op.type].role != OpRole::forward || op.stage != 0 || op.chunk != 0) continue;
            ReplayOp nothing = op;
            nothing.type = static_cast<std::uint16_t>(t);
            nothing.start = op.start - 1;
            nothing.duration = 1;
            marked.ops.push_back(nothing);
        }
    }
    const ReplayGraph expected(plain), graph(marked);
    CHECK(graph.warnings().empty());
    CHECK(graph.simulate(graph.recorded()).front() ==
          Approx(expected.simulate(expected.recorded()).front()).epsilon(1e-6));
}

TEST_CASE("Targets of what-if say what there is when they are wrong", "[replay]") {
    const ReplayGraph graph(test::syntheticJob({2, 4, 1, 1, 8}));
    const auto refuse = [&](const char* text, const char* says) {
        INFO(text);
        CHECK_THROWS_WITH(parseWhatIfTarget(text, graph), Contains(says));
    };
    refuse("stage:4", "stages 0 to 3");
    refuse("rank:2", "DP ranks 0 to 1");
    refuse("rank:-1", "DP ranks");
    refuse("worker:0", "stages 0 to 3");
    refuse("op:gemm", "forward-pp-comm");
    refuse("everything", "write compute");
    refuse("", "write compute");
    const auto pair = parseWhatIfTarget("worker:1,3", graph);
    CHECK(pair.dp == 1);
    CHECK(pair.stage == 3);
}
