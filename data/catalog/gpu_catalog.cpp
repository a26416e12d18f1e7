#include "data/catalog/gpu_catalog.hpp"

#include <fmt/format.h>

#include "data/toml/strict_table.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// Insists on a value that was read: unknown keys are told first, because they often are the missing one misspelt.
double required(const StrictTable& table, std::string_view key, std::optional<double> value) {
    if (!value) table.fail(key, "is missing; give a positive number");
    return *value;
}

CatalogGpu gpuFrom(const toml::table& root, const std::string& name, const std::string& stem) {
    StrictTable outer(root, "the file", name);
    const toml::table* fields = outer.table("gpu");
    if (fields == nullptr) outer.fail("gpu", "the table is missing");
    outer.finish();
    StrictTable gpu(*fields, "[gpu]", name);
    CatalogGpu device;
    GpuSpec& spec = device.spec;
    spec.name = gpu.text("name").value_or(stem);
    const auto positive = [&](std::string_view key) { return gpu.number(key, 1e-12, 1e12); };
    const auto multiprocessors = gpu.integer("multiprocessors", 1, 100'000);
    const auto memory = positive("memory_gib");
    const auto bandwidth = positive("memory_bandwidth_gb_s");
    const auto vector = positive("vector_tflops");
    const auto launch = positive("launch_overhead_us");
    const auto source = gpu.text("source");
    const toml::table* peakFields = gpu.table("peak_tflops");
    const toml::table* sustainedFields = gpu.table("sustained");
    const auto tdp = gpu.number("tdp_w", 1.0, 1e5);
    gpu.alsoCalled("memory_gb", "memory_gib");
    gpu.finish();
    spec.multiprocessors = static_cast<int>(required(gpu, "multiprocessors", multiprocessors));
    spec.memory = required(gpu, "memory_gib", memory) * 1_GiB;
    spec.memoryBandwidth = BytesPerSecond(required(gpu, "memory_bandwidth_gb_s", bandwidth) * 1e9);
    spec.vectorPeak = FlopsPerSecond(required(gpu, "vector_tflops", vector) * 1e12);
    spec.launchOverhead = Seconds(required(gpu, "launch_overhead_us", launch) * 1e-6);
    if (!source) gpu.fail("source", "is missing; a fact without a source is refused");
    if (peakFields == nullptr) gpu.fail("peak_tflops", "the table is missing");
    StrictTable peaks(*peakFields, "[gpu.peak_tflops]", name);
    for (const auto dtype : {DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::fp8, DType::fp4}) {
        if (const auto peak = peaks.number(orrery::name(dtype), 1e-6, 1e9))
            spec.peaks[dtype] = FlopsPerSecond(*peak * 1e12);
    }
    peaks.finish();
    device.operation.tdpWatts = tdp.value_or(0.0);
    if (sustainedFields == nullptr) return device;
    StrictTable sustained(*sustainedFields, "[gpu.sustained]", name);
    for (const auto& [dtype, peak] : spec.peaks) {
        if (const auto share = sustained.number(orrery::name(dtype), 0.2, 1.5)) spec.sustained[dtype] = *share;
    }
    sustained.finish();
    return device;
}

}  // namespace

CatalogGpu readGpu(const std::filesystem::path& file) {
    return gpuFrom(parseTomlFile(file), file.filename().string(), file.stem().string());
}

std::vector<CatalogGpu> readGpus(const std::filesystem::path& directory) {
    std::vector<CatalogGpu> gpus;
    for (const CatalogFile& file : catalogFiles("gpus", directory)) {
        gpus.push_back(gpuFrom(parse(file), file.origin, file.stem));
    }
    return gpus;
}

}  // namespace orrery
