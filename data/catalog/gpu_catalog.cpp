#include "data/catalog/gpu_catalog.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// A table whose keys are all asked for; what remains is an error.
class Table {
  public:
    Table(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

    [[nodiscard]] double positive(std::string_view key) const {
        const std::optional<double> value = at(key).value<double>();
        if (!value || !(*value > 0.0)) fail(at(key), fmt::format("'{}' must be a positive number", key));
        return *value;
    }
    [[nodiscard]] std::string text(std::string_view key) const {
        const std::optional<std::string> value = at(key).value<std::string>();
        if (!value || value->empty()) fail(at(key), fmt::format("'{}' must be a text", key));
        return *value;
    }
    [[nodiscard]] const toml::table& table(std::string_view key) const {
        const toml::table* value = at(key).as_table();
        if (value == nullptr) fail(at(key), fmt::format("'{}' must be a table", key));
        return *value;
    }
    void allowOnly(std::initializer_list<std::string_view> keys) const {
        for (const auto& [key, value] : table_) {
            if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
                fail(value, fmt::format("unknown key '{}'; remove it or see the other files here", key.str()));
            }
        }
    }
    [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
        const auto& where = node.source().begin;
        throw InputError(fmt::format("{}:{}:{}: {}", file_, where.line, where.column, what));
    }

  private:
    [[nodiscard]] const toml::node& at(std::string_view key) const {
        const toml::node* node = table_.get(key);
        if (node == nullptr) fail(table_, fmt::format("'{}' is missing; add it", key));
        return *node;
    }
    const toml::table& table_;
    std::string file_;
};

}  // namespace

std::filesystem::path catalogDirectory() {
    if (const char* chosen = std::getenv("ORRERY_CATALOG"); chosen != nullptr && *chosen != '\0') return chosen;
    return ORRERY_CATALOG_DIR;
}

GpuSpec readGpu(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    toml::table root;
    try {
        root = toml::parse_file(file.string());
    } catch (const toml::parse_error& error) {
        throw InputError(fmt::format("{}:{}:{}: {}", name, error.source().begin.line, error.source().begin.column,
                                     error.description()));
    }
    const Table outer(root, name);
    outer.allowOnly({"gpu"});
    const Table gpu(outer.table("gpu"), name);
    gpu.allowOnly({"name", "multiprocessors", "memory_gb", "memory_bandwidth_gb_s", "vector_tflops",
                   "launch_overhead_us", "source", "peak_tflops"});
    GpuSpec spec;
    spec.name = gpu.text("name");
    spec.multiprocessors = static_cast<int>(gpu.positive("multiprocessors"));
    spec.memory = Bytes(gpu.positive("memory_gb") * 1e9);
    spec.memoryBandwidth = BytesPerSecond(gpu.positive("memory_bandwidth_gb_s") * 1e9);
    spec.vectorPeak = FlopsPerSecond(gpu.positive("vector_tflops") * 1e12);
    spec.launchOverhead = Seconds(gpu.positive("launch_overhead_us") * 1e-6);
    (void)gpu.text("source");  // a fact without a source is refused
    const Table peaks(gpu.table("peak_tflops"), name);
    for (const auto& [key, value] : gpu.table("peak_tflops")) {
        const std::optional<DType> dtype = parseDType(key.str());
        if (!dtype)
            peaks.fail(value, fmt::format("unknown data type '{}'; use fp32, tf32, fp16, bf16, fp8 or fp4", key.str()));
        spec.peaks[*dtype] = FlopsPerSecond(peaks.positive(key.str()) * 1e12);
    }
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
