// orrery compare with what a training program printed.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("a prediction is held against a Megatron-LM log, and a different batch is told", "[cli][compare]") {
    const test::TempFolder folder;
    std::string log;
    for (int i = 1; i <= 6; ++i) {
        log += fmt::format(
            " iteration {:8}/     500 | consumed samples: {:12} | elapsed time per iteration (ms): {:.1f} | "
            "global batch size:   128 | lm loss: 1.2E+01 |\n",
            i, 128 * i, i == 1 ? 60000.0 : 10000.0 + i);
    }
    folder.write("train.log", log);
    const auto run = [&](const std::string& arguments) {
        return test::runProgram(fmt::format("cd {} && {}/orrery compare train.log {}/examples/{}",
                                            folder.path().string(), ORRERY_BIN_DIR, ORRERY_SOURCE_DIR, arguments));
    };
    const auto result = run("llama3-70b-64-h100.toml --json");
    INFO(result.output);
    REQUIRE(result.exitCode == 0);
    const auto json = nlohmann::json::parse(result.output);
    CHECK(json["log"] == "Megatron-LM");
    CHECK(json["steps"] == 4);
    CHECK(json["measured_step_s"].get<double>() == Approx(10.0045));
    CHECK(json["error_pct"].get<double>() ==
          Approx(100 * (json["predicted_step_s"].get<double>() / json["measured_step_s"].get<double>() - 1)));
    CHECK(json["warnings"].empty());
    const auto other = run("llama3-8b-8-h100.toml --skip-steps 1");
    CHECK_THAT(other.output, Contains("Megatron-LM log, 5 steps") && Contains("tokens/s/GPU"));
    const auto batch = run("mixtral-8x7b-256-h200.toml");
    CHECK_THAT(batch.output, Contains("global batch is 128, the scenario's 1024"));
    const auto none = run("llama3-8b-8-h100.toml --skip-steps 6");
    CHECK(none.exitCode == 2);
    CHECK_THAT(none.output, Contains("skip fewer"));
    CHECK(run("llama3-8b-8-h100.toml --report out.html").exitCode == 2);
}
