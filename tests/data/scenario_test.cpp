#include <catch2/catch.hpp>

#include "data/scenario/scenario_file.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;

namespace {
Scenario read(const std::string& text) {
    const test::TempFolder folder;
    return readScenario(folder.write("scenario.toml", text));
}
}  // namespace

TEST_CASE("a short scenario is completed from the catalog", "[scenario]") {
    const Scenario s = read(
        "[model]\npreset = \"llama3-70b\"\n[cluster]\ngpu = \"H100\"\ngpus = 64\n[plan]\ntp = 4\npp = 4\nmicro_batch = "
        "2\n"
        "[workload]\nsequence_length = 8192\nglobal_batch = 128\n");
    CHECK(s.plan.dp == 4);  // 64 / (4 x 4)
    CHECK(s.plan.schedule == ScheduleKind::oneFOneB);
    CHECK(s.cluster.gpu.name == "H100-SXM");
    CHECK(s.cluster.links.size() == 2);
    CHECK(s.cluster.links.front().size == 8);
    CHECK(s.workload.replicas.size() == 4);
    CHECK(s.workload.microBatches() == 16);
    CHECK(s.workload.tokens() == 128 * 8192);
    CHECK(s.model.kvHeads == 8);
}

TEST_CASE("a field overrides its preset, and what follows from it follows", "[scenario]") {
    const Scenario s = read(
        "[model]\npreset = \"llama3-8b\"\nlayers = 4\n[cluster]\npreset = \"dgx-h100\"\nnodes = 1\n"
        "[workload]\nsequence_length = 4096\nglobal_batch = 8\n");
    CHECK(s.model.layers == 4);
    CHECK(s.model.hidden == 4096);
    CHECK(s.plan.dp == 8);
}

TEST_CASE("documents are taken as they are listed", "[scenario]") {
    const Scenario s = read(
        "[model]\nlayers = 2\nhidden = 64\nheads = 4\nffn_hidden = 128\nvocab = 100\n[cluster]\ngpu = \"cpu\"\n"
        "[plan]\npp = 2\ndp = 2\nprecision = \"fp32\"\n"
        "[workload]\nsequence_length = 100\ndocuments = [[[60, 40], [100]], [[10], [20, 30]]]\n");
    REQUIRE(s.workload.replicas.size() == 2);
    CHECK(s.workload.replicas[0][0].documents == std::vector<std::int64_t>{60, 40});
    CHECK(s.workload.replicas[1][1].tokens() == 50);
    CHECK(s.cluster.gpus == 4);  // from the plan's sizes
}

TEST_CASE("long names of other tools are answered with ours", "[scenario]") {
    const std::string job = "[model]\npreset = \"llama3-8b\"\n[cluster]\npreset = \"dgx-h100\"\ngpus = 8\n[plan]\n";
    CHECK_THROWS_WITH(
        read(job + "tensor_paralel = 2\n[workload]\nsequence_length = 8\nglobal_batch = 8\n"),
        Catch::Matchers::Contains("scenario.toml:7:1: unknown key 'tensor_paralel' in [plan]; did you mean 'tp'?"));
}
