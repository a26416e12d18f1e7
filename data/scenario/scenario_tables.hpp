// The tables of a scenario file, one reader each. Internal to data/scenario.
#pragma once

#include <optional>
#include <string>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "data/catalog/catalog.hpp"
#include "data/toml/strict_table.hpp"
#include "model/predict/prediction.hpp"
#include "model/units/input_error.hpp"

namespace orrery {

/// Runs a check of the model layer and puts the file's name in front of what it throws.
template <typename Check>
void inFile(const std::string& file, Check check) {
    try {
        check();
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", file, error.what()));
    }
}

/// The tables of a scenario; those that may be missing are nullptr then.
struct ScenarioTables {
    std::string name;
    const toml::table* model = nullptr;
    const toml::table* cluster = nullptr;
    const toml::table* plan = nullptr;
    const toml::table* workload = nullptr;
    const toml::table* calibration = nullptr;
    const toml::table* framework = nullptr;
    const toml::table* operation = nullptr;
};

/// Throws InputError for a table that is missing or unknown. `defaultName` where the scenario has none.
[[nodiscard]] ScenarioTables readTables(const toml::table& root, const std::string& file, std::string defaultName);

[[nodiscard]] ModelSpec readModel(const toml::table& table, const std::string& file, const Catalog& catalog);
/// `plan` may say how many GPUs there are; nullptr: [cluster] has to.
[[nodiscard]] ClusterSpec readCluster(const toml::table& table, const toml::table* plan, const std::string& file,
                                      const Catalog& catalog);
[[nodiscard]] RuntimeSpec readFramework(const toml::table& table, const std::string& file, const std::string& gpu,
                                        const Catalog& catalog);
/// Of the file that the table names, relative to the scenario's folder.
[[nodiscard]] Calibration readCalibrationTable(const toml::table& table, const std::string& file);

}  // namespace orrery
