// orrery sweep and orrery capacity as a user runs them.
#include <algorithm>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string kJob = R"([model]
preset = "llama3-8b"
[cluster]
preset = "dgx-h100"
gpus = 16
[plan]
tp = 2
sharding = "zero1"
recompute = "full"
[workload]
sequence_length = 8192
global_batch = 64
micro_batch = 1
)";

class Folder {
  public:
    Folder() { folder_.write("job.toml", kJob); }
    [[nodiscard]] test::ProgramRun run(const std::string& arguments) const {
        return test::runProgram(
            fmt::format("cd {} && {}/orrery {}", folder_.path().string(), ORRERY_BIN_DIR, arguments));
    }
    [[nodiscard]] nlohmann::json json(const std::string& arguments) const {
        const auto result = run(arguments + " --json");
        INFO(result.output);
        REQUIRE(result.exitCode == 0);
        return nlohmann::json::parse(result.output);
    }
    void refused(const std::string& arguments, const std::string& what) const {
        const auto before = folder_.entries();
        const auto result = run(arguments);
        INFO(result.output);
        CHECK(result.exitCode == 2);
        CHECK_THAT(result.output, StartsWith("orrery: ") && Contains(what));
        CHECK(std::count(result.output.begin(), result.output.end(), '\n') == 1);
        CHECK(folder_.entries() == before);
    }
    [[nodiscard]] std::string read(const std::string& name) const {
        std::ifstream in(folder_ / name);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }

  private:
    test::TempFolder folder_;
};

}  // namespace

TEST_CASE("a sweep predicts as predict does with the field in the file", "[cli][sweep]") {
    const Folder folder;
    const auto rows =
        folder.json("sweep job.toml --over plan.tp=2,4 --over workload.sequence_length=4096,8192")["rows"];
    REQUIRE(rows.size() == 4);
    CHECK(rows[0]["values"]["plan.tp"] == "2");
    CHECK(rows[0]["values"]["workload.sequence_length"] == "4096");
    const auto asItStands = folder.json("predict job.toml");
    CHECK(rows[1]["step_s"] == asItStands["step_s"]);
    CHECK(rows[1]["peak_memory_gib"] == asItStands["peak_memory_gib"]);
    CHECK(rows[0]["step_s"].get<double>() < rows[1]["step_s"].get<double>());
    CHECK(rows[0]["efficiency"] == 1.0);
}

TEST_CASE("more of a piece of hardware is never slower, and a missing fit is told in its row", "[cli][sweep]") {
    const Folder folder;
    for (const char* factor :
         {"matrix_peak", "memory_bandwidth", "link_bandwidth", "network_bandwidth", "host_speed"}) {
        const auto rows = folder.json(fmt::format("sweep job.toml --over hardware.{}=0.5,1,2", factor))["rows"];
        INFO(factor);
        CHECK(rows[0]["step_s"].get<double>() >= rows[1]["step_s"].get<double>());
        CHECK(rows[1]["step_s"].get<double>() >= rows[2]["step_s"].get<double>());
    }
    const auto rows = folder.json("sweep job.toml --over plan.tp=2,3")["rows"];
    CHECK(rows[0].contains("step_s"));
    CHECK_THAT(rows[1]["reason"].get<std::string>(), Contains("16 GPUs"));
    const auto memory = folder.json("sweep job.toml --over hardware.memory=1,0.1")["rows"];
    CHECK(memory[0]["fits"] == true);
    CHECK(memory[1]["fits"] == false);
}

TEST_CASE("a sensitivity is the sweep of one factor", "[cli][sweep]") {
    const Folder folder;
    const auto found = folder.json("sweep job.toml --sensitivity --by 25");
    const auto rows = folder.json("sweep job.toml --over hardware.matrix_peak=0.8,1,1.25")["rows"];
    const auto peak = std::find_if(found["factors"].begin(), found["factors"].end(),
                                   [](const auto& f) { return f["factor"] == "matrix_peak"; });
    REQUIRE(peak != found["factors"].end());
    CHECK((*peak)["step_lower_s"].get<double>() == Approx(rows[0]["step_s"].get<double>()));
    CHECK(found["step_s"].get<double>() == Approx(rows[1]["step_s"].get<double>()));
    CHECK((*peak)["step_higher_s"].get<double>() == Approx(rows[2]["step_s"].get<double>()));
}

TEST_CASE("weak scaling grows the batch, strong scaling does not", "[cli][sweep]") {
    const Folder folder;
    const auto weak = folder.json("sweep job.toml --over cluster.gpus=8..32 --weak --search")["rows"];
    const auto strong = folder.json("sweep job.toml --over cluster.gpus=8..32 --search")["rows"];
    REQUIRE(weak.size() == 3);
    CHECK(weak[1]["step_s"] == strong[1]["step_s"]);
    CHECK(weak[2]["step_s"].get<double>() > 1.5 * strong[2]["step_s"].get<double>());
    CHECK(strong[2]["efficiency"].get<double>() < 1.05);
}

TEST_CASE("capacity: GPU-hours are days times GPUs, money follows the price, and half the days take more GPUs",
          "[cli][capacity]") {
    const Folder folder;
    const auto plan = folder.json("capacity job.toml --tokens 1T --gpus 16..64 --price 2 --availability 1");
    REQUIRE(plan["rows"].size() == 3);
    for (const auto& row : plan["rows"]) {
        CHECK(row["gpu_hours"].get<double>() == Approx(row["days"].get<double>() * 24 * row["gpus"].get<double>()));
        CHECK(row["money"].get<double>() == Approx(2 * row["gpu_hours"].get<double>()));
        CHECK(row["steps"].get<double>() == Approx(1e12 / (64 * 8192.0)).epsilon(1e-6));
        CHECK(row["days"].get<double>() == Approx(row["steps"].get<double>() * row["step_s"].get<double>() / 86400));
        // Between the TDP and a half of it.
        const double watts = row["mwh"].get<double>() * 1e6 / row["gpu_hours"].get<double>();
        CHECK(watts <= 700.0);
        CHECK(watts >= 350.0);
    }
    const double days = plan["rows"][2]["days"].get<double>() * 0.7;
    const auto faster = folder.json(
        fmt::format("capacity job.toml --tokens 1T --gpus 16..64 --price 2 --availability 1 --days {}", days));
    const auto& last = faster["rows"].back();
    CHECK(last["gpus"].get<int>() == 128);
    CHECK(last["days"].get<double>() <= days);
    CHECK(faster["rows"].size() > 4);  // numbers between 64 and 128, too
    CHECK_THAT(faster["answers"][0].get<std::string>(), StartsWith("fewest GPUs for"));
}

TEST_CASE("capacity writes one HTML file that escapes names, and CSV with a row a number of GPUs", "[cli][capacity]") {
    const Folder folder;
    const auto run = folder.run(
        "capacity job.toml --tokens 300B --gpus 16,32 --set 'model.name=<b>x</b>' --budget 1000 --price 2 -o "
        "plan.html");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const std::string page = folder.read("plan.html");
    CHECK_THAT(page, Contains("<svg class=\"days\"") && Contains("1000 buys") && Contains("</html>"));
    CHECK_THAT(page, !Contains("<b>x</b>"));
    CHECK_THAT(page, !Contains("http://") && !Contains("https://"));
    REQUIRE(folder.run("capacity job.toml --tokens 300B --gpus 16,32 -o plan.csv").exitCode == 0);
    const std::string csv = folder.read("plan.csv");
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
}

TEST_CASE("sweep and capacity refuse what they cannot mean", "[cli][sweep][capacity][wrong]") {
    const Folder folder;
    folder.refused("sweep job.toml", "--over");
    folder.refused("sweep job.toml --over tp=2", "table.key=value");
    folder.refused("sweep job.toml --over plan.tp=", "table.key=value");
    folder.refused("sweep job.toml --over plan.tp=2,,4", "empty value");
    folder.refused("sweep job.toml --over cluster.gpus=64..8", "no range");
    folder.refused("sweep job.toml --over hardware.speed=2", "hardware.matrix_peak");
    folder.refused("sweep job.toml --over hardware.memory=-1", "no factor above 0");
    folder.refused("sweep job.toml --over plan.recomputation=full", "no value gives a job");
    folder.refused("sweep job.toml --over plan.tp=2 --weak", "--weak needs");
    folder.refused("capacity job.toml --tokens many", "no number above 0");
    folder.refused("capacity job.toml --tokens 1T --gpus 1.5", "no number of GPUs");
    folder.refused("capacity job.toml --tokens 1T --gpus 16 -o plan.pdf", ".html or .csv");
    folder.refused("capacity job.toml --tokens 1T --gpus 16 --set model.preset=nothing", "unknown model preset");
}
