// Named GPUs, clusters and models, one TOML file each (data/catalog), by the names that scenarios use.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/catalog/gpu_catalog.hpp"
#include "model/spec/cluster_spec.hpp"
#include "model/spec/model_spec.hpp"
#include "model/spec/runtime_spec.hpp"

namespace orrery {

/// A machine that can be had in any number: `[cluster] preset = "dgx-h100"`, nodes = 8.
struct ClusterPreset {
    std::string name, gpu;
    int gpusPerNode = 8;
    std::vector<LinkLevel> links;  ///< size 0: all GPUs of the job
};

/// The built-in entries and, over them, those of the user's directory.
class Catalog {
  public:
    explicit Catalog(std::filesystem::path directory = catalogDirectory()) : directory_(std::move(directory)) {}

    /// Each throws InputError for an unknown name, with the nearest known one. Case, spaces, '-', '_' and '.' do not
    /// matter; usual short names ("H100", "A100 80GB", "V100") are known.
    [[nodiscard]] GpuSpec gpu(std::string_view name) const;
    /// What running a GPU takes, as far as its data sheet says: the rest are the defaults of Operation.
    [[nodiscard]] Operation operation(std::string_view gpu) const;
    [[nodiscard]] ClusterPreset cluster(std::string_view name) const;
    [[nodiscard]] ModelSpec model(std::string_view name) const;

    /// How a framework drives a GPU: the entry's figures for it, or, where the entry has none for it, those for any
    /// GPU.
    [[nodiscard]] RuntimeSpec framework(std::string_view name, std::string_view gpu) const;

    /// Names of all entries, as gpu(), cluster(), model() and framework() take them.
    [[nodiscard]] std::vector<std::string> gpuNames() const;
    [[nodiscard]] std::vector<std::string> clusterNames() const;
    [[nodiscard]] std::vector<std::string> modelNames() const;
    [[nodiscard]] std::vector<std::string> frameworkNames() const;

    /// The machine that a GPU usually sits in, where the catalog knows one.
    [[nodiscard]] std::optional<ClusterPreset> usualCluster(std::string_view gpu) const;

  private:
    [[nodiscard]] CatalogGpu device(std::string_view name) const;

    std::filesystem::path directory_;
};

/// A preset with `gpus` GPUs: levels that would join fewer than all get the job's size at the end.
[[nodiscard]] ClusterSpec instantiate(const ClusterPreset& preset, const GpuSpec& gpu, int gpus);

}  // namespace orrery
