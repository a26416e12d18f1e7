// orrery scenario and orrery plan as a user runs them: from another program's job to a prediction, and back.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string kConfig =
    R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,
"num_hidden_layers":32,"num_key_value_heads":8,"tie_word_embeddings":false,"vocab_size":128256})";

test::ProgramRun run(const test::TempFolder& folder, const std::string& arguments) {
    return test::runProgram(fmt::format("cd {} && {}/orrery {}", folder.path().string(), ORRERY_BIN_DIR, arguments));
}

double stepOf(const test::TempFolder& folder, const std::string& scenario) {
    const auto result = run(folder, fmt::format("predict {} --json", scenario));
    INFO(result.output);
    REQUIRE(result.exitCode == 0);
    return nlohmann::json::parse(result.output)["step_s"].get<double>();
}

}  // namespace

TEST_CASE("a config.json becomes a scenario that is searched", "[cli][jobs]") {
    const test::TempFolder folder;
    folder.write("config.json", kConfig);
    const auto made = run(folder, "scenario config.json --gpu h100 --gpus 8 --global-batch 32 -o job.toml");
    INFO(made.output);
    REQUIRE(made.exitCode == 0);
    const auto found = run(folder, "search job.toml --top 3");
    INFO(found.output);
    CHECK(found.exitCode == 0);
    CHECK_THAT(found.output, Contains("8 x H100-SXM") && Contains("why the first beats the second"));
}

TEST_CASE("an example's plan goes to Megatron's flags and comes back with the same step", "[cli][jobs]") {
    const test::TempFolder folder;
    const std::pair<const char*, int> examples[] = {{"llama3-70b-64-h100", 64}, {"qwen3-235b-256-h100", 256}};
    for (const auto& [name, gpus] : examples) {
        const std::string example = fmt::format("{}/examples/{}.toml", ORRERY_SOURCE_DIR, name);
        const auto flags = run(folder, fmt::format("plan {} --emit megatron", example));
        INFO(flags.output);
        REQUIRE(flags.exitCode == 0);
        folder.write("run.sh", "torchrun pretrain_gpt.py \\\n" + flags.output + "\n");
        const auto made = run(folder, fmt::format("scenario run.sh --gpu H100-SXM --gpus {} -o back.toml", gpus));
        INFO(made.output);
        REQUIRE(made.exitCode == 0);
        CHECK(stepOf(folder, "back.toml") == Approx(stepOf(folder, example)).epsilon(1e-9));
    }
}

TEST_CASE("plan and scenario refuse what they cannot mean", "[cli][jobs][wrong]") {
    const test::TempFolder folder;
    folder.write("config.json", kConfig);
    folder.write("run.sh", "--num-layers 4 --hidden-size 256 --num-attention-heads 4 --tensor-model-parallel-size 4");
    const auto refused = [&](const std::string& arguments, const std::string& what) {
        const auto result = run(folder, arguments);
        INFO(result.output);
        CHECK(result.exitCode == 2);
        CHECK_THAT(result.output, StartsWith("orrery: ") && Contains(what));
    };
    refused("scenario run.sh --gpu H100", "give --gpus");
    refused("scenario run.sh --gpu H100 --gpus 6", "no multiple of tp x pp x cp = 4");
    refused("scenario config.json --gpu H1000", "unknown GPU");
    refused("scenario none.json --gpu H100", "no such file");
    refused("plan config.json --emit megatron", "config.json");
    CHECK(run(folder, "plan config.json --emit nemo").exitCode == 2);
}
