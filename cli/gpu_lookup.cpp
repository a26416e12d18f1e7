#include "cli/gpu_lookup.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "data/catalog/gpu_catalog.hpp"

namespace orrery::cli {

GpuLookup catalogGpus() {
    auto gpus = std::make_shared<std::vector<GpuSpec>>(readGpus());
    return [gpus](std::string_view name) -> std::optional<GpuSpec> {
        for (const GpuSpec& gpu : *gpus) {
            if (gpu.name == name) return gpu;
        }
        return std::nullopt;
    };
}

}  // namespace orrery::cli
