// The catalog's models have the sizes that their publishers state; names are found as people write them; a user's
// directory stands over what is built in.
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "data/catalog/catalog.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

/// Parameters as published: number of elements in the released weights, or the paper's table (Megatron, GPT-3).
const std::map<std::string, double> kPublished{
    {"gpt3-175b", 174.6e9},           // arXiv 2104.04473, table 1 (Brown et al. print 175.0)
    {"megatron-22b", 22e9},           // arXiv 2205.05198, table 3
    {"megatron-145b", 145.6e9},       // arXiv 2104.04473, table 1
    {"megatron-310b", 310.1e9},       //
    {"megatron-530b", 529.6e9},       //
    {"megatron-1t", 1008.0e9},        //
    {"llama2-7b", 6'738'415'616.},    // safetensors of meta-llama
    {"llama2-13b", 13'015'864'320.},  //
    {"llama2-70b", 68'976'648'192.},  //
    {"llama3-8b", 8'030'261'248.},    //
    {"llama3-70b", 70'553'706'496.},  //
    {"llama3-405b", 405'853'388'800.},
    {"mistral-7b", 7'241'732'096.},  // of mistralai
    {"nemotron-h-8b", 8.1e9},        // arXiv 2504.03624, table 1
    {"mixtral-8x7b", 46'702'792'704.},
    {"mixtral-8x22b", 140'620'634'112.},
    {"qwen2.5-0.5b", 494'032'768.},  // of Qwen
    {"qwen2.5-1.5b", 1'543'714'304.},
    {"qwen2.5-3b", 3'085'938'688.},
    {"qwen2.5-7b", 7'615'616'512.},
    {"qwen2.5-14b", 14'770'033'664.},
    {"qwen2.5-32b", 32'763'876'352.},
    {"qwen2.5-72b", 72'706'203'648.},
    {"qwen3-30b-a3b", 30'532'122'624.},
    {"qwen3-235b-a22b", 235'093'634'560.},
    {"deepseek-v3", 671e9},  // arXiv 2412.19437, abstract
};

const char* const kSmallGpu =
    "[gpu]\nname = \"H100-SXM\"\nmultiprocessors = 7\nmemory_gib = 1\nmemory_bandwidth_gb_s = 10\nvector_tflops = 1\n"
    "launch_overhead_us = 1\nsource = \"a test\"\n[gpu.peak_tflops]\nfp32 = 1\n";

}  // namespace

TEST_CASE("every model of the catalog has its published number of parameters within 1 %", "[catalog]") {
    const Catalog catalog("");
    for (const std::string& name : catalog.modelNames()) {
        INFO(name);
        REQUIRE(kPublished.count(name) == 1);
        const ModelSpec model = catalog.model(name);
        CHECK_NOTHROW(validate(model));
        CHECK(parameterCount(model) == Approx(kPublished.at(name)).epsilon(0.01));
    }
    CHECK(catalog.modelNames().size() == kPublished.size());
}

TEST_CASE("peaks are dense: an 8-bit format has twice the rate of 16 bits where it has a rate", "[catalog]") {
    int checked = 0;
    for (const auto& [gpu, operation] : readGpus("")) {
        if (gpu.peaks.count(DType::fp8) == 0) continue;
        INFO(gpu.name);
        CHECK(gpu.peak(DType::fp8) / gpu.peak(DType::bf16) == Approx(2.0).epsilon(0.01));
        CHECK(gpu.peak(DType::bf16) > 4.0 * gpu.peak(DType::fp32));
        ++checked;
    }
    CHECK(checked >= 8);
}

TEST_CASE("GPUs are found by the names people write", "[catalog]") {
    const Catalog catalog("");
    CHECK(catalog.gpu("H100").name == "H100-SXM");
    CHECK(catalog.gpu("h100 sxm").name == "H100-SXM");
    CHECK(catalog.gpu("A100-80GB").name == "A100-80");
    CHECK(catalog.gpu("A100-SXM4-40GB").name == "A100-40");
    CHECK(catalog.gpu("V100 32GB").name == "V100-32");
    CHECK_THROWS_WITH(catalog.gpu("H10O-SXM"), Contains("unknown GPU 'H10O-SXM'; did you mean 'H100-SXM'?"));
    CHECK_THROWS_WITH(catalog.model("llama3-8bb"), Contains("did you mean 'llama3-8b'?"));
    CHECK_THROWS_WITH(catalog.cluster("zzzzzzzzzz"), Contains("known are"));
}

TEST_CASE("a user's directory replaces and adds entries, and the rest stays", "[catalog]") {
    const test::TempFolder folder;
    std::filesystem::create_directory(folder / "gpus");
    folder.write("gpus/my-own.toml", kSmallGpu);
    const Catalog catalog(folder.path());
    CHECK(catalog.gpu("H100").multiprocessors == 7);  // same name: the user's counts
    CHECK(catalog.gpu("A100-80").multiprocessors == 108);
    CHECK(catalog.model("llama3-8b").layers == 32);

    folder.write("gpus/my-own.toml", "[gpu]\nmemory_gib = \"much\"\n");
    CHECK_THROWS_WITH(catalog.gpu("A100-80"), Contains("my-own.toml:"));
    CHECK_THROWS_WITH(Catalog(folder / "nothing").gpu("H100"), Contains("no such directory; ORRERY_CATALOG"));
}
