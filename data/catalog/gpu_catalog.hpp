// Data sheets of GPUs: one TOML file each in data/catalog/gpus.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "data/catalog/catalog_files.hpp"
#include "model/capacity/training_cost.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// A device as its data sheet has it, and what running it takes.
struct CatalogGpu {
    GpuSpec spec;
    Operation operation;
};

/// One data sheet. Throws InputError (file:line:column, what, the mend): not TOML, unknown or missing key, not
/// positive.
[[nodiscard]] CatalogGpu readGpu(const std::filesystem::path& file);

/// All GPUs of the catalog: those of the user's directory, then the built-in ones, each by file name. Throws
/// InputError.
[[nodiscard]] std::vector<CatalogGpu> readGpus(const std::filesystem::path& directory = catalogDirectory());

}  // namespace orrery
