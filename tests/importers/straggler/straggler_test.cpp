// Timelines of Megatron's phases: what comes out of them is the job that went in, and broken ones are refused.
#include <catch2/catch.hpp>

#include "data/replay/replay_input.hpp"
#include "model/replay/straggler_analysis.hpp"
#include "model/units/input_error.hpp"
#include "tests/importers/imported.hpp"
#include "tests/importers/straggler/straggler_timeline.hpp"
#include "tests/support/shared_data.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

std::string replacedOnce(std::string text, const std::string& what, const std::string& with) {
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

void refuse(const std::string& text, const char* says) {
    INFO(says);
    try {
        const test::Imported imported(text);
        FAIL("was not refused");
    } catch (const InputError& error) {
        CHECK_THAT(error.what(), Contains(says));
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
    }
}

}  // namespace

TEST_CASE("A timeline comes back from the profile as the job that it was", "[straggler]") {
    const auto chunks = GENERATE(1, 2);
    const ReplayJob job = test::syntheticJob({2, 3, chunks, 2, 6});
    const test::Imported imported(test::stragglerTimeline(job));
    CHECK(imported.summary.files.front().format == "straggler");
    CHECK(imported.summary.files.front().result.events == std::ssize(job.ops));
    const auto input = readReplayInput(imported.profile());
    CHECK(input.warnings.empty());
    CHECK(input.job.dp == 2);
    CHECK(input.job.pp == 3);
    CHECK(input.job.chunks == chunks);
    CHECK(input.job.steps == job.steps);
    CHECK_FALSE(input.job.sequential);
    CHECK_FALSE(input.job.bufferedSends);
    REQUIRE(input.job.ops.size() == job.ops.size());
    const ReplayGraph there(job), back(input.job);
    CHECK(back.simulate(back.recorded()) == there.simulate(there.recorded()));
    CHECK(back.recordedSteps() == there.recordedSteps());
}

TEST_CASE("Each worker is a rank of the job, with its steps and lanes", "[straggler]") {
    const test::Imported imported(test::stragglerTimeline(test::syntheticJob({2, 3, 1, 2, 6})));
    const Profile profile = imported.profile();
    const auto ranks = profile.ranks();
    REQUIRE(ranks.size() == 6);
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        CHECK(ranks[k].rank == static_cast<std::int64_t>(k));
        CHECK(ranks[k].worldSize == 6);
        CHECK(ranks[k].source == "straggler");
    }
    CHECK(profile.steps().size() == 12);
    CHECK(profile.threads().size() == 18);
}

TEST_CASE("The meta file beside a timeline gives the TP size and is held against it", "[straggler]") {
    const test::TempFolder folder;
    const auto timeline = folder.write("timeline-J.json", test::stragglerTimeline(test::syntheticJob({2, 2, 1, 1, 4})));
    const auto import = [&](const char* meta) {
        folder.write("meta-J.yaml", meta);
        ProfileWriter writer(folder / "job.db");
        const auto summary = importers::importPaths({timeline}, writer, {});
        writer.finish();
        const auto& warnings = summary.files.front().result.warnings;
        return warnings.empty() ? std::string() : warnings.front().text;
    };
    CHECK(import("trial_name: J\ndp_size: 2\npp_size: 2\ntp_size: 4\nworld_size: 16\n").empty());
    const Profile profile(folder / "job.db");
    CHECK(profile.ranks().back().rank == 12);
    CHECK(profile.ranks().back().worldSize == 16);
    CHECK(import("dp_size: 2\npp_size: 2\ntp_size: 2\ndsp_size: 2\n").empty());
    CHECK_THAT(import("dp_size: 4\npp_size: 2\n"), Contains("its meta file says DP 4"));
    CHECK_THROWS_WITH(import("dp_size: 2\npp_size: 2\ntp_size: zero\n"), Contains("meta-J.yaml:3: 'tp_size'"));
    CHECK_THROWS_WITH(import("dp_size: [2\n"), Contains("no YAML"));
    CHECK_THROWS_WITH(import("- 2\n"), Contains("has no keys"));
}

TEST_CASE("What is no phase of a representative rank is left out and told", "[straggler]") {
    const ReplayJob job = test::syntheticJob({1, 2, 1, 1, 2});
    std::string text = test::stragglerTimeline(job);
    const std::string lane =
        R"({"name":"thread_name","pid":0,"tid":99,"ph":"M","args":{"name":"PP rank 0, TP rank 1, compute"}},)";
    const std::string phase =
        R"({"name":"NAME","pid":0,"tid":TID,"ts":1,"dur":1,"ph":"X","args":{"step":0,"model_chunk":null,"mb_id":null}},)";
    const auto with = [&](const std::string& name, const std::string& tid) {
        return replacedOnce(replacedOnce(phase, "NAME", name), "TID", tid);
    };
    text = "[" + lane + with("forward-compute", "99") + with("data-load", "0") + text.substr(1);
    const test::Imported imported(text);
    CHECK(imported.summary.files.front().result.events == std::ssize(job.ops));
    CHECK_THAT(imported.warnings(), Contains("1 phases of further TP ranks") && Contains("1 phases 'data-load'"));
    CHECK(readReplayInput(imported.profile()).job.ops.size() == job.ops.size());
}

TEST_CASE("Broken timelines are refused in one line with the event", "[straggler]") {
    const std::string good = test::stragglerTimeline(test::syntheticJob({1, 2, 1, 1, 2}));
    refuse(good.substr(0, good.size() / 2), "export the timeline again");
    refuse(good.substr(0, good.size() - 1), "export the timeline again");
    refuse(good + "[]", "followed by other text");
    refuse(replacedOnce(good, "\"dur\":", "\"dur\":-"), "negative duration");
    refuse(replacedOnce(good, "\"dur\":", "\"dur\":x"), "'dur' is");
    refuse(replacedOnce(good, "\"step\":0", "\"step\":-1"), "has no 'step'");
    refuse(replacedOnce(good, "\"ts\":", "\"tz\":"), "needs 'name', 'pid'");
    refuse(replacedOnce(good, "\"pid\":0", "\"pid\":\"a\""), "'pid'");
    refuse(replacedOnce(good, "\"ts\":0.000", "\"ts\":4000000000000000.000"), "beyond any clock");
    refuse(replacedOnce(good, "PP rank 1", "Pipeline 1"), "no name such as 'PP rank 0");
}

namespace {

struct PublishedJob {
    const char* name;
    double slowdown;
    std::size_t topStage, topDpRank;
    double stageSlowdown, dpSlowdown, forward, backward, embedding;
    StragglerCause cause;
};

}  // namespace

TEST_CASE("The published jobs come out as their source says", "[straggler][shared]") {
    // blocking_slowdown and blocking_decompose_by_* of result-ST.json and result-AR.json.
    const auto job =
        GENERATE(PublishedJob{"ST", 1.1787021836556841, 3, 1, 1.2322559543157936, 1.1778704237064905,
                              1.0874989663025318, 1.074156472437866, 1.0095504024370303, StragglerCause::lastStage},
                 PublishedJob{"AR", 1.9730450967262543, 0, 0, 1.9791886375936654, 1.9730444100764113,
                              1.3688857250958648, 1.580506213380076, 1.005152269714213, StragglerCause::slowWorkers});
    const auto file = test::sharedData(fmt::format("traces/straggler/timeline-{}.json.gz", job.name));
    if (!file) return;
    const test::TempFolder folder;
    {
        ProfileWriter writer(folder / "job.db");
        importers::importPaths({*file}, writer, {});
        writer.finish();
    }
    const ReplayGraph graph(readReplayInput(Profile(folder / "job.db")).job);
    CHECK(graph.warnings().empty());
    const auto analysis = analyseStragglers(graph);
    constexpr double kSame = 1e-5;
    CHECK(analysis.slowdown == Approx(job.slowdown).epsilon(kSame));
    CHECK(std::max_element(analysis.byStage.begin(), analysis.byStage.end()) - analysis.byStage.begin() ==
          static_cast<std::ptrdiff_t>(job.topStage));
    CHECK(std::max_element(analysis.byDpRank.begin(), analysis.byDpRank.end()) - analysis.byDpRank.begin() ==
          static_cast<std::ptrdiff_t>(job.topDpRank));
    CHECK(analysis.byStage[job.topStage] == Approx(job.stageSlowdown).epsilon(kSame));
    CHECK(analysis.byDpRank[job.topDpRank] == Approx(job.dpSlowdown).epsilon(kSame));
    const std::map<std::string, double> byOp(analysis.byOp.begin(), analysis.byOp.end());
    CHECK(byOp.size() == 11);
    CHECK(byOp.at("forward-compute") == Approx(job.forward).epsilon(kSame));
    CHECK(byOp.at("backward-compute") == Approx(job.backward).epsilon(kSame));
    CHECK(byOp.at("embedding-grads-all-reduce") == Approx(job.embedding).epsilon(kSame));
    CHECK(analysis.cause == job.cause);
}
