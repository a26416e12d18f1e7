// orrery compare as a user runs it: the table, JSON, the report, and clear words when profile and scenario differ.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/annotated_profile.hpp"
#include "tests/support/run_program.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

const std::string kOrrery = ORRERY_BIN_DIR "/orrery";

/// A folder with job.db (2 stages, 4 micro-batches, 3 steps) and scenarios; gone at the end of the test.
class Folder {
  public:
    explicit Folder(const std::string& name) : path(std::filesystem::temp_directory_path() / name) {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
        test::writePipelineJob(path / "job.db", 3, 4);
        scenario("same.toml", 2, 4);
        scenario("more_stages.toml", 4, 4);
        scenario("more_batches.toml", 2, 8);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    [[nodiscard]] test::ProgramRun run(const std::string& arguments) const {
        return test::runProgram(fmt::format("cd {} && {} compare {}", path.string(), kOrrery, arguments));
    }
    const std::filesystem::path path;

  private:
    void scenario(const std::string& name, int stages, int microBatches) const {
        std::ofstream(path / name) << fmt::format(
            "[model]\nname = \"tiny\"\nlayers = 4\nhidden = 128\nheads = 8\nkv_heads = 4\nhead_dim = 16\n"
            "ffn_hidden = 352\ngated_mlp = true\nvocab = 2048\n[cluster]\ngpu = \"cpu\"\ngpus = {0}\n"
            "gpus_per_node = {0}\n[plan]\ntp = 1\npp = {0}\ndp = 1\nschedule = \"1f1b\"\nprecision = \"fp32\"\n"
            "parameter_type = \"fp32\"\ngradient_type = \"fp32\"\n[workload]\nsequence_length = 128\n"
            "documents = [[{1}]]\n",
            stages, [&] {
                std::string list;
                for (int m = 0; m < microBatches; ++m) list += m == 0 ? "[128]" : ", [128]";
                return list;
            }());
    }
};

}  // namespace

TEST_CASE("orrery compare prints a table whose rows add up, as text and as JSON", "[cli][compare]") {
    const Folder folder("orrery_cli_compare");
    const auto text = folder.run("job.db same.toml --per-rank --report out.html");
    INFO(text.output);
    CHECK(text.exitCode == 0);
    CHECK_THAT(text.output, Contains("predicted") && Contains("by phase") && Contains("rank 1, stage 1"));
    CHECK(std::filesystem::file_size(folder.path / "out.html") > 10'000);

    const auto run = folder.run("job.db same.toml --json 2>/dev/null");
    const auto json = nlohmann::json::parse(run.output);
    CHECK(json["step"]["measured_s"].get<double>() == Approx(1010e-6));  // the lower median of steps 1 and 2
    CHECK(json["measured_steps"] == nlohmann::json::array({1, 2}));
    for (const char* side : {"predicted_s", "measured_s"}) {
        const double step = json["overall"]["step"][side];
        CHECK(step > 0);
        for (const char* group : {"phases", "classes"}) {
            double sum = 0.0;
            for (const auto& row : json["overall"][group]) sum += row[side].get<double>();
            CHECK(sum == Approx(step));
        }
    }
}

TEST_CASE("The predicted column is what orrery predict says", "[cli][compare]") {
    const Folder folder("orrery_cli_compare_predict");
    const auto compared = nlohmann::json::parse(folder.run("job.db same.toml --json 2>/dev/null").output);
    const auto predicted = nlohmann::json::parse(
        test::runProgram(fmt::format("cd {} && {} predict same.toml --json 2>/dev/null", folder.path.string(), kOrrery))
            .output);
    CHECK(compared["step"]["predicted_s"].get<double>() ==
          Approx(predicted["step_s"].get<double>()).epsilon(1e-6).margin(2e-9));  // the timeline is in whole ns
}

TEST_CASE("A profile of another job is refused in one line with exit code 2", "[cli][compare]") {
    const Folder folder("orrery_cli_compare_wrong");
    const auto refuse = [&](const std::string& arguments, const std::string& says) {
        const auto run = folder.run(arguments);
        INFO(arguments << "\n" << run.output);
        CHECK(run.exitCode == 2);
        CHECK_THAT(run.output, Contains(says));
        CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 1);
    };
    refuse("job.db more_stages.toml", "the profile has 2 ranks, the plan needs 4");
    refuse("job.db more_batches.toml", "4 micro-batches in step 0 of rank 0, the scenario has 8");
    refuse("job.db same.toml --skip-steps 3", "--skip-steps 2");
    refuse("job.db none.toml", "none.toml");
    refuse("job.db same.toml --report out.pdf", ".html, .csv, .json or .pftrace");
}
