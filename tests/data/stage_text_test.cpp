// Texts of [plan] for what stages hold and do.
#include "data/scenario/stage_text.hpp"

#include <catch2/catch.hpp>

#include "data/scenario/scenario_file.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

ParallelPlan planWith(const std::string& lines, const std::string& pp = "2") {
    const test::TempFolder folder;
    return readScenario(
               folder.write(
                   "scenario.toml",
                   "[model]\npreset = \"llama3-8b\"\n[cluster]\npreset = \"dgx-h100\"\ngpus = 8\n[plan]\npp = " + pp +
                       "\n" + lines + "\n[workload]\nsequence_length = 8192\nglobal_batch = 32\n"))
        .plan;
}

}  // namespace

TEST_CASE("tasks are read from words", "[scenario]") {
    const std::vector<Task> tasks = parseTasks(" F0, F1.1 F3+B1+W1 ");
    REQUIRE(tasks.size() == 5);
    CHECK(tasks[0] == Task{0, 0, TaskKind::forward});
    CHECK(tasks[1] == Task{1, 1, TaskKind::forward});
    CHECK(tasks[2] == Task{3, 0, TaskKind::forward, true});
    CHECK(tasks[3] == Task{1, 0, TaskKind::backward, true});
    CHECK(tasks[4] == Task{1, 0, TaskKind::backwardWeight});
    for (const char* bad : {"G0", "F", "F-1", "F1.", "F1.x", "F99999999999", "F0 + ", "F0 Fx"})
        CHECK_THROWS_WITH(parseTasks(bad), Contains("is not a task"));
}

TEST_CASE("Megatron's pipeline layouts are read", "[scenario]") {
    const PipelineLayout deepSeek = parsePipelineLayout("Et*3|(tt|)*29,m|L");
    CHECK(deepSeek.layers.size() == 32);
    CHECK(deepSeek.layers.front() == 3);
    CHECK(deepSeek.layers[29] == 2);
    CHECK(deepSeek.layers[30] == 0);
    CHECK(deepSeek.layers[31] == 0);
    CHECK(deepSeek.mtpSlot == 30);
    CHECK(parsePipelineLayout("E|tt|ttL").layers == std::vector<int>{0, 2, 2});
    CHECK_THROWS_WITH(parsePipelineLayout("tt|L"), Contains("E is missing"));
    CHECK_THROWS_WITH(parsePipelineLayout("Ett|"), Contains("L is missing"));
    CHECK_THROWS_WITH(parsePipelineLayout("Et|L|t"), Contains("L must stand at the end"));
    CHECK_THROWS_WITH(parsePipelineLayout("E(tt|*3L"), Contains("character 2"));
    CHECK_THROWS_WITH(parsePipelineLayout("Et*|L"), Contains("needs a number"));
    CHECK_THROWS_WITH(parsePipelineLayout("Ex|L"), Contains("'x' is none of"));
    CHECK_THROWS_WITH(parsePipelineLayout("E(tttttttttt)*1000000L"), Contains("too long"));
}

TEST_CASE("a plan says what its stages hold and in which order they work", "[scenario]") {
    CHECK(planWith("pipeline_layout = \"Et*15|t*17L\"").layersPerStage == std::vector<int>{15, 17});
    CHECK(planWith("first_stage_layers = 15").firstStageLayers == 15);
    CHECK(planWith("embedding_as_layer = true\nloss_as_layer = true").stageLayers(32) == std::vector<int>{16, 16});
    CHECK(planWith("schedule = \"zb-v\"").vpp == 2);
    CHECK(planWith("schedule = \"dualpipe\"").vpp == 1);
    const ParallelPlan given = planWith("schedule = \"given\"\norder = [\"F0 F1 B0 B1\", \"F0 B0 F1 B1\"]");
    CHECK(given.schedule == ScheduleKind::given);
    CHECK(given.order.size() == 2);
    CHECK_THROWS_WITH(planWith("schedule = \"given\"\norder = [\"F0 B0\", \"F0 X0\"]"),
                      Contains("scenario.toml:9:19: order: 'X0' is not a task"));
    CHECK_THROWS_WITH(planWith("pipeline_layout = \"Et*15|t*17\""),
                      Contains("scenario.toml:8:19") && Contains("L is missing"));
    CHECK_THROWS_WITH(planWith("decoder_first_pipeline_num_layers = 15"),
                      Contains("did you mean 'first_stage_layers'"));
    CHECK_THROWS_WITH(planWith("schedule = \"dualpipe\"", "1"), Contains("needs an even pp"));
}
