// orrery replay as a user runs it.
#include <algorithm>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/importers/straggler/straggler_timeline.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

/// A folder with slow.json: DP 2 x PP 4, DP rank 1 of stage 0 takes three times as long.
class Folder {
  public:
    Folder() {
        const auto durationOf = [](const ReplayOp& op, const OpType& type) {
            const bool slow = isPass(type.role) && op.dp == 1 && op.stage == 0;
            return test::evenDuration(op, type) * (slow ? 3 : 1);
        };
        folder_.write("slow.json", test::stragglerTimeline(test::syntheticJob({2, 4, 1, 2, 8}, durationOf)));
    }
    [[nodiscard]] test::ProgramRun run(const std::string& arguments) const {
        return test::runProgram(
            fmt::format("cd {} && {}/orrery {}", folder_.path().string(), ORRERY_BIN_DIR, arguments));
    }
    [[nodiscard]] nlohmann::json json(const std::string& arguments) const {
        const auto result = run(fmt::format("replay slow.json --json {} 2>/dev/null", arguments));
        INFO(result.output);
        REQUIRE(result.exitCode == 0);
        return nlohmann::json::parse(result.output);
    }
    [[nodiscard]] const test::TempFolder& folder() const { return folder_; }

  private:
    test::TempFolder folder_;
};

}  // namespace

TEST_CASE("orrery replay names the slow worker, from a profile and from the timeline itself", "[cli][replay]") {
    const Folder folder;
    CHECK(folder.run("import slow.json -o job.db").exitCode == 0);
    const auto text = folder.run("replay job.db");
    CHECK(text.exitCode == 0);
    CHECK_THAT(text.output, Contains("one slow worker: DP rank 1, stage 0") && Contains("slowdown by op"));
    const auto direct = folder.json("");
    CHECK(nlohmann::json::parse(folder.run("replay job.db --json").output) == direct);
    for (const char* field : {"step_recorded_s", "step_nodelay_s", "step_ideal_s", "slowdown", "by_op", "by_dp_rank",
                              "by_stage", "by_worker", "cause", "cause_kind", "explained", "steps", "layout"}) {
        INFO(field);
        CHECK(direct.contains(field));
    }
    CHECK(direct["slowdown"].get<double>() ==
          Approx(direct["step_nodelay_s"].get<double>() / direct["step_ideal_s"].get<double>()));
    CHECK(direct["cause_kind"] == "slow_workers");
    CHECK(direct["by_stage"].size() == 4);
    CHECK(direct["what_if"].is_null());
}

TEST_CASE("option --even and --scale change the step as they say", "[cli][replay]") {
    const Folder folder;
    const auto base = folder.json("");
    const auto noDelay = base["step_nodelay_s"].get<double>();
    const auto step = [&](const std::string& arguments) {
        return folder.json(arguments)["what_if"]["step_s"].get<double>();
    };
    CHECK(step("--scale all=1") == Approx(noDelay));
    CHECK(step("--scale all=2") == Approx(2 * noDelay));
    CHECK(step("--even all") == Approx(base["step_ideal_s"].get<double>()));
    CHECK(step("--even compute --even comm") == Approx(base["step_ideal_s"].get<double>()));
    CHECK(step("--even worker:1,0") < 0.7 * noDelay);
    CHECK(step("--scale worker:1,0=0.5 --scale op:optimizer=0") < 0.7 * noDelay);
    CHECK(step("--even stage:1") > 0.9 * noDelay);
    const auto both = folder.json("--even rank:1 --scale comm=0.5");
    CHECK(both["what_if"]["changes"] == nlohmann::json::array({"even rank:1", "scale comm=0.5"}));
    CHECK(both["what_if"]["speedup"].get<double>() == Approx(noDelay / both["what_if"]["step_s"].get<double>()));
}

TEST_CASE("Wrong calls and wrong files are refused in one line with exit code 2", "[cli][replay]") {
    const Folder folder;
    REQUIRE(folder.run("import slow.json -o job.db").exitCode == 0);
    folder.folder().write("cut.json", test::stragglerTimeline(test::syntheticJob({})).substr(0, 20000));
    const auto refuse = [&](const std::string& arguments, const std::string& says) {
        const auto run = folder.run("replay " + arguments);
        INFO(arguments << "\n" << run.output);
        CHECK(run.exitCode == 2);
        CHECK_THAT(run.output, Contains(says));
        CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 1);
    };
    refuse("none.db", "none.db");
    refuse("cut.json", "export the timeline again");
    refuse("job.db --even stage:9", "stages 0 to 3");
    refuse("job.db --scale compute", "WHAT=FACTOR");
    refuse("job.db --scale compute=-1", "factor of 0 or more");
    refuse("job.db --scale compute=nan", "factor of 0 or more");
    refuse("job.db --even op:gemm", "it has");
    refuse("job.db --skip-steps 2", "leaves none");
}
