#include "cli/gpu_lookup.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "data/catalog/catalog.hpp"
#include "data/catalog/gpu_catalog.hpp"

namespace orrery::cli {

GpuLookup catalogGpus() {
    auto gpus = std::make_shared<std::vector<CatalogGpu>>(readGpus());
    return [gpus](std::string_view name) -> std::optional<GpuSpec> {
        for (const CatalogGpu& gpu : *gpus) {
            if (gpu.spec.name == name) return gpu.spec;
        }
        return std::nullopt;
    };
}

RuntimeLookup catalogRuntimes() {
    auto known = std::make_shared<std::map<std::pair<std::string, std::string>, RuntimeSpec>>();
    return [known](const std::string& framework, const std::string& gpu) {
        const auto found = known->find({framework, gpu});
        if (found != known->end()) return found->second;
        return known->emplace(std::pair{framework, gpu}, Catalog().framework(framework, gpu)).first->second;
    };
}

}  // namespace orrery::cli
