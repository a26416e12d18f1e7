// Data sheets of GPUs: one TOML file each in data/catalog/gpus.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// Directory of the catalog: $ORRERY_CATALOG when set, else the one this program was built with.
[[nodiscard]] std::filesystem::path catalogDirectory();

/// One data sheet. Throws InputError (file:line:column, what, the mend): not TOML, unknown or missing key, not
/// positive.
[[nodiscard]] GpuSpec readGpu(const std::filesystem::path& file);

/// All GPUs of the catalog, by file name. Throws InputError when the directory has none.
[[nodiscard]] std::vector<GpuSpec> readGpus(const std::filesystem::path& directory = catalogDirectory());

}  // namespace orrery
