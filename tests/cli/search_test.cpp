// orrery search as a user runs it.
#include <algorithm>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string kJob = R"(
[model]
preset = "llama3-8b"
[cluster]
preset = "dgx-h100"
gpus = 16
[workload]
sequence_length = 8192
global_batch = 64
)";

class Folder {
  public:
    explicit Folder(const std::string& plan) { folder_.write("job.toml", kJob + plan); }
    [[nodiscard]] test::ProgramRun run(const std::string& arguments = "") const {
        return test::runProgram(
            fmt::format("cd {} && {}/orrery search job.toml {}", folder_.path().string(), ORRERY_BIN_DIR, arguments));
    }
    [[nodiscard]] nlohmann::json json(const std::string& arguments = "") const {
        const auto result = run("--json " + arguments);
        INFO(result.output);
        REQUIRE(result.exitCode == 0);
        return nlohmann::json::parse(result.output);
    }

  private:
    test::TempFolder folder_;
};

std::string refused(const std::string& plan) {
    const auto run = Folder(plan).run();
    INFO(run.output);
    CHECK(run.exitCode == 2);
    CHECK_THAT(run.output, StartsWith("orrery: "));
    CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 1);
    return run.output;
}

}  // namespace

TEST_CASE("orrery search takes lists, ranges and auto in [plan]", "[cli][search]") {
    const auto found = Folder(
                           "[plan]\ntp = [1, 2, 4]\npp = \"1..2\"\nmicro_batch = \"auto\"\nrecompute = \"full\"\n"
                           "sharding = [\"zero1\", \"zero3\"]\n")
                           .json("--top 1000");
    CHECK(found["evaluated"].get<int>() > 10);
    CHECK(found["feasible"].get<int>() <= found["evaluated"].get<int>());
    CHECK(found["evaluated_per_second"].get<double>() > 0.0);
    double last = 0.0;
    for (const auto& plan : found["best"]) {
        CHECK(plan["tp"].get<int>() <= 4);
        CHECK(plan["pp"].get<int>() <= 2);
        CHECK(plan["tp"].get<int>() * plan["pp"].get<int>() * plan["dp"].get<int>() * plan["cp"].get<int>() == 16);
        CHECK(plan["recompute"] == "full");
        CHECK(plan["step_s"].get<double>() >= last);
        CHECK(plan["peak_memory_gib"].get<double>() < 80.0);
        last = plan["step_s"].get<double>();
    }
    CHECK_FALSE(found["pareto"].empty());
    CHECK_FALSE(found.contains("own_plan"));
}

TEST_CASE("orrery search without [plan] looks at everything, around a plan it ranks that plan", "[cli][search]") {
    const auto everything = Folder("").json();
    const Folder folder("[plan]\ntp = 2\ndp = 8\nmicro_batch = 1\nrecompute = \"full\"\n");
    const auto around = folder.json();
    CHECK(around["best"] == everything["best"]);
    CHECK(around["own_plan"]["tp"] == 2);
    CHECK(around["faster_than_own_plan"].get<int>() > 0);
    CHECK(around["best"][0]["step_s"] < around["own_plan"]["step_s"]);
    const auto text = folder.run("--pareto");
    CHECK(text.exitCode == 0);
    CHECK_THAT(text.output, Contains("why the first beats the second") && Contains("the scenario's own plan") &&
                                Contains("no other plan beats these"));
}

TEST_CASE("a plan that a search found predicts as the search says", "[cli][search]") {
    const Folder folder("");
    const auto best = folder.json("--top 1")["best"][0];
    const test::TempFolder other;
    other.write("best.toml",
                kJob + fmt::format("[plan]\ntp = {}\npp = {}\nvpp = {}\ndp = {}\ncp = {}\nmicro_batch = {}\nschedule = "
                                   "\"{}\"\nrecompute = \"{}\"\nsharding = \"{}\"\nsequence_parallel = {}\n",
                                   best["tp"].get<int>(), best["pp"].get<int>(), best["vpp"].get<int>(),
                                   best["dp"].get<int>(), best["cp"].get<int>(), best["micro_batch"].get<int>(),
                                   best["schedule"].get<std::string>(), best["recompute"].get<std::string>(),
                                   best["sharding"].get<std::string>(), best["sequence_parallel"].get<bool>()));
    const auto run = test::runProgram(
        fmt::format("cd {} && {}/orrery predict best.toml --json", other.path().string(), ORRERY_BIN_DIR));
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto prediction = nlohmann::json::parse(run.output);
    CHECK(prediction["step_s"] == best["step_s"]);
    CHECK(prediction["peak_memory_gib"] == best["peak_memory_gib"]);
}

TEST_CASE("orrery search refuses what it cannot mean, with the place and the mend", "[cli][search][wrong]") {
    CHECK_THAT(refused("[plan]\ntp = []\n"), Contains("tp") && Contains("list is empty"));
    CHECK_THAT(refused("[plan]\ntp = [1, 0]\n"), Contains("job.toml:") && Contains("whole number from 1"));
    CHECK_THAT(refused("[plan]\ntp = \"8..2\"\n"), Contains("'8..2'") && Contains("range"));
    CHECK_THAT(refused("[plan]\ntp = \"5..7\"\n"), Contains("no value between 5 and 7"));
    CHECK_THAT(refused("[plan]\nschedule = [\"1f2b\"]\n"), Contains("interleaved"));
    CHECK_THAT(refused("[plan]\ntp = \"auto\"\nrecomputation = \"full\"\n"), Contains("recompute"));
    CHECK_THAT(refused("[plan]\ntp = [5]\npp = [3]\n"), Contains("number of GPUs"));
}

TEST_CASE("documents that are drawn are packed for each plan of a search", "[cli][search]") {
    const test::TempFolder folder;
    folder.write("job.toml", R"([model]
preset = "llama3-8b"
[cluster]
preset = "dgx-h100"
gpus = 8
[plan]
tp = "auto"
recompute = ["none", "full"]
[workload]
sequence_length = 8192
distribution = "lognormal"
median = 600
sigma = 1.2
micro_batches = 4
)");
    const auto run = test::runProgram(
        fmt::format("cd {} && {}/orrery search job.toml --json", folder.path().string(), ORRERY_BIN_DIR));
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    CHECK(nlohmann::json::parse(run.output)["best"].size() > 2);
}
