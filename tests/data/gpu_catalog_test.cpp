// The catalog's data sheets are readable, and a wrong one is refused with line and column.
#include "data/catalog/gpu_catalog.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "data/calibration/calibration_file.hpp"
#include "model/units/input_error.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {
const std::filesystem::path kCatalog = std::filesystem::path(ORRERY_SOURCE_DIR) / "data" / "catalog";

const std::string kWhole =
    "[gpu]\nname = \"x\"\nmultiprocessors = 4\nmemory_gib = 1\nmemory_bandwidth_gb_s = 10\nvector_tflops = 1\n"
    "launch_overhead_us = 1\nsource = \"a sheet\"\n";
const std::string kPeaks = "[gpu.peak_tflops]\nfp32 = 1\n";

std::string errorOf(const std::string& text) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "orrery_gpu_catalog_test.toml";
    std::ofstream(file) << text;
    try {
        (void)readGpu(file);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}
}  // namespace

TEST_CASE("every data sheet of the catalog is complete and named once", "[catalog]") {
    std::vector<std::string> names;
    for (const auto& [gpu, operation] : readGpus(kCatalog)) {
        if (gpu.name != "cpu") CHECK(operation.tdpWatts >= 250.0);
        names.push_back(gpu.name);
        CHECK(gpu.multiprocessors > 0);
        CHECK_NOTHROW(gpu.peak(DType::fp32));
    }
    for (const char* wanted : {"A100-40", "A100-80", "H100-SXM", "H200", "B200", "MI300X", "cpu"}) {
        CHECK(std::count(names.begin(), names.end(), wanted) == 1);
    }
}

TEST_CASE("a format without a peak of its own uses the next wider one", "[catalog]") {
    const GpuSpec a100 = readGpu(kCatalog / "gpus" / "a100-80.toml").spec;
    CHECK(a100.peak(DType::fp8).value() == Approx(312e12));
    CHECK(a100.peak(DType::fp32).value() == Approx(19.5e12));
}

TEST_CASE("the shipped calibration reads, and knows the devices of the published tables", "[catalog]") {
    const Calibration shipped = readCalibration(kCatalog / "calibrations" / "published.json");
    CHECK(shipped.device("B200") != nullptr);
    CHECK(shipped.device("H100-SXM") != nullptr);
    CHECK(shipped.sourcesFor("H200").size() == 1);
    for (const DeviceCalibration& device : shipped.devices) {
        for (const KernelLaw& law : device.laws) CHECK(law.samples > 0);
    }
}

TEST_CASE("a wrong data sheet is refused with the place", "[catalog]") {
    CHECK(errorOf(kWhole + kPeaks).empty());
    CHECK_THAT(errorOf("[gpu\n"), Contains("orrery_gpu_catalog_test.toml:1:"));
    CHECK_THAT(errorOf(kWhole + "memory_gb = 3\n" + kPeaks),
               Contains("unknown key 'memory_gb' in [gpu]") && Contains("'memory_gib'"));
    CHECK_THAT(errorOf("[gpu]\nname = \"x\"\nmultiprocessors = -1\n"),
               Contains(":3:19: multiprocessors in [gpu]: -1 is outside 1 to"));
    CHECK_THAT(errorOf("[gpu]\nname = \"x\"\n"), Contains("multiprocessors in [gpu]: is missing"));
    CHECK_THROWS_AS(readGpus("/nonexistent"), InputError);
}
