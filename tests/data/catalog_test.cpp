#include "data/catalog/catalog.hpp"

#include <filesystem>

#include <catch2/catch.hpp>
#include <toml++/toml.h>

#include "data/toml/strict_table.hpp"
#include "model/units/input_error.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("every model preset has the parameters that its source prints", "[catalog]") {
    const Catalog catalog;
    int models = 0;
    for (const auto& entry : std::filesystem::directory_iterator(catalogDirectory() / "models")) {
        const toml::table file = parseTomlFile(entry.path());
        const auto printed = file["model"]["parameters_billion"].value<double>();
        INFO(entry.path());
        REQUIRE(printed.has_value());
        const ModelSpec model = catalog.model(entry.path().stem().string());
        validate(model);
        CHECK(parameterCount(model) * 1e-9 == Approx(*printed).epsilon(0.01));
        ++models;
    }
    CHECK(models >= 10);
}

TEST_CASE("every cluster preset joins all its GPUs, at any size", "[catalog]") {
    const Catalog catalog;
    for (const auto& entry : std::filesystem::directory_iterator(catalogDirectory() / "clusters")) {
        const ClusterPreset preset = catalog.cluster(entry.path().stem().string());
        for (const int gpus : {1, preset.gpusPerNode, 3 * preset.gpusPerNode, 1024}) {
            INFO(preset.name << " with " << gpus);
            const ClusterSpec cluster = instantiate(preset, catalog.gpu(preset.gpu), gpus);
            validate(cluster);
            CHECK(cluster.links.back().size == gpus);
        }
    }
}

TEST_CASE("names are found however they are spelled, and unknown ones get the nearest", "[catalog]") {
    const Catalog catalog;
    CHECK(catalog.gpu("H100").name == "H100-SXM");
    CHECK(catalog.gpu("h100_sxm").name == "H100-SXM");
    CHECK(catalog.usualCluster("A100-80")->name == "dgx-a100");
    CHECK_THROWS_WITH(catalog.model("llama3-8"), Contains("llama3-8b"));
    CHECK_THROWS_WITH(catalog.cluster("dgx-h10"), Contains("dgx-h100"));
}
