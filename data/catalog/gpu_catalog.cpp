#include "data/catalog/gpu_catalog.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "data/toml/strict_table.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

double positive(StrictTable& table, std::string_view key) {
    const auto value = table.number(key, 1e-12, 1e12);
    if (!value) table.fail(key, "is missing; give a positive number");
    return *value;
}

}  // namespace

std::filesystem::path catalogDirectory() {
    if (const char* chosen = std::getenv("ORRERY_CATALOG"); chosen != nullptr && *chosen != '\0') return chosen;
    return ORRERY_CATALOG_DIR;
}

GpuSpec readGpu(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    const toml::table root = parseTomlFile(file);
    StrictTable outer(root, "the file", name);
    const toml::table* fields = outer.table("gpu");
    if (fields == nullptr) outer.fail("gpu", "the table is missing");
    outer.finish();
    StrictTable gpu(*fields, "[gpu]", name);
    GpuSpec spec;
    spec.name = gpu.text("name").value_or(file.stem().string());
    spec.multiprocessors = static_cast<int>(positive(gpu, "multiprocessors"));
    spec.memory = Bytes(positive(gpu, "memory_gb") * 1e9);
    spec.memoryBandwidth = BytesPerSecond(positive(gpu, "memory_bandwidth_gb_s") * 1e9);
    spec.vectorPeak = FlopsPerSecond(positive(gpu, "vector_tflops") * 1e12);
    spec.launchOverhead = Seconds(positive(gpu, "launch_overhead_us") * 1e-6);
    if (!gpu.text("source")) gpu.fail("source", "is missing; a fact without a source is refused");
    const toml::table* peakFields = gpu.table("peak_tflops");
    if (peakFields == nullptr) gpu.fail("peak_tflops", "the table is missing");
    gpu.finish();
    StrictTable peaks(*peakFields, "[gpu.peak_tflops]", name);
    for (const auto dtype : {DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::fp8, DType::fp4}) {
        if (const auto peak = peaks.number(orrery::name(dtype), 1e-6, 1e9))
            spec.peaks[dtype] = FlopsPerSecond(*peak * 1e12);
    }
    peaks.finish();
    return spec;
}

std::vector<GpuSpec> readGpus(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory / "gpus", error)) {
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    if (files.empty()) {
        throw InputError(fmt::format("{}: no GPU in the catalog; set ORRERY_CATALOG to the data/catalog directory",
                                     (directory / "gpus").string()));
    }
    std::sort(files.begin(), files.end());
    std::vector<GpuSpec> gpus;
    for (const auto& file : files) gpus.push_back(readGpu(file));
    return gpus;
}

}  // namespace orrery
