#include "data/catalog/catalog.hpp"

#include <catch2/catch.hpp>

#include "model/units/input_error.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("every cluster preset joins all its GPUs, at any size", "[catalog]") {
    const Catalog catalog;
    for (const std::string& name : catalog.clusterNames()) {
        const ClusterPreset preset = catalog.cluster(name);
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
