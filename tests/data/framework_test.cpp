// The catalog's frameworks, the [framework] table of scenarios, and what a scenario takes when it names none.
#include <catch2/catch.hpp>

#include "data/catalog/catalog.hpp"
#include "data/scenario/complete_scenario.hpp"
#include "data/scenario/scenario_file.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Contains;

namespace {

constexpr const char* kScenario = R"([model]
preset = "llama3-8b"
[cluster]
preset = "dgx-h100"
nodes = 1
[workload]
sequence_length = 2048
global_batch = 8
)";

Scenario read(const std::string& text) {
    const test::TempFolder folder;
    return readScenario(folder.write("s.toml", text));
}

}  // namespace

TEST_CASE("every framework of the catalog has plausible figures for every GPU", "[catalog]") {
    const Catalog catalog;
    REQUIRE(catalog.frameworkNames().size() >= 10);
    for (const std::string& framework : catalog.frameworkNames()) {
        for (const std::string& gpu : catalog.gpuNames()) {
            INFO(framework << " on " << gpu);
            const RuntimeSpec runtime = catalog.framework(framework, gpu);
            CHECK(runtime.name == framework);
            CHECK(runtime.kernelGap <= 5_us);
            CHECK(runtime.hostPerOperator <= 150_us);
            CHECK(runtime.elementwiseTraffic >= 1.0);
            CHECK(runtime.elementwiseTraffic <= 4.0);
            CHECK(runtime.overlapSlowdown <= 1.0);
            CHECK(runtime.networkShare >= 0.1);
        }
    }
    CHECK_THROWS_WITH(catalog.framework("megatron-cor", "B200"), Contains("did you mean 'megatron-core'?"));
}

TEST_CASE("a scenario names a framework, changes its figures, or takes the usual one", "[scenario]") {
    Scenario plain = read(kScenario);
    CHECK(plain.runtime.name.empty());
    CHECK(completeScenario(plain) == "shipped (published kernel tables)");
    CHECK(plain.runtime.name == "megatron-core");
    Scenario sharded = read(std::string(kScenario) + "[plan]\nsharding = \"zero3\"\n");
    completeScenario(sharded);
    CHECK(sharded.runtime.name == "pytorch-fsdp");
    const Scenario own = read(std::string(kScenario) + "[framework]\npreset = \"nemo\"\nkernel_gap_us = 3.5\n");
    CHECK(own.runtime.name == "nemo");
    CHECK(own.runtime.kernelGap == 3.5_us);
    CHECK_FALSE(own.runtime.weightGradientPlaceholders);
    CHECK(read(std::string(kScenario) + "[framework]\nweight_gradient_placeholders = true\n")
              .runtime.weightGradientPlaceholders);
    CHECK_THROWS_WITH(read(std::string(kScenario) + "[framework]\nkernel_gap = 3\n"), Contains("kernel_gap_us"));
    CHECK_THROWS_WITH(read(std::string(kScenario) + "[framework]\nlink_share = 0\n"), Contains("link_share"));
}
