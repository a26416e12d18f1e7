#include "data/scenario/operation_table.hpp"

#include "data/scenario/scenario_tables.hpp"

namespace orrery {

Operation readOperation(const std::filesystem::path& path, const std::string& gpu,
                        const std::vector<Override>& overrides, const Catalog& catalog) {
    const std::string file = path.string();
    toml::table root = parseTomlFile(path);
    apply(root, overrides);
    const ScenarioTables tables = readTables(root, file, path.stem().string());
    Operation operation = catalog.operation(gpu);
    if (tables.operation == nullptr) return operation;
    StrictTable fields(*tables.operation, "[operation]", file);
    const auto set = [&](std::string_view key, double low, double high, double& value) {
        if (const auto given = fields.number(key, low, high)) value = *given;
    };
    set("price_per_gpu_hour", 0.0, 1e6, operation.pricePerGpuHour);
    if (const toml::table* prices = fields.table("prices")) {  // by GPU, where a plan compares several
        StrictTable byGpu(*prices, "[operation.prices]", file);
        for (const std::string& known : catalog.gpuNames()) {
            if (const auto price = byGpu.number(known, 0.0, 1e6); price && known == gpu)
                operation.pricePerGpuHour = *price;
        }
        byGpu.finish();
    }
    set("pue", 1.0, 10.0, operation.pue);
    set("availability", 0.01, 1.0, operation.availability);
    set("host_watts_per_gpu", 0.0, 1e5, operation.hostWattsPerGpu);
    set("tdp_watts", 0.0, 1e5, operation.tdpWatts);
    set("waiting_share", 0.0, 1.0, operation.waitingShare);
    fields.finish();
    return operation;
}

}  // namespace orrery
