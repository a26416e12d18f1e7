#include "data/scenario/overrides.hpp"

#include <optional>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

toml::table parsedValue(const Override& override) {
    for (const std::string& text : {override.value, fmt::format("\"{}\"", override.value)}) {
        try {
            return toml::parse(fmt::format("value = {}", text));
        } catch (const toml::parse_error&) {
            continue;
        }
    }
    throw InputError(fmt::format("'{}' for {} is no value; give a number, true, false, a text or a list",
                                 override.value, override.key));
}

void makeRoom(toml::table& table, std::string_view name, std::string_view key) {
    const auto drop = [&](std::initializer_list<std::string_view> keys) {
        for (const std::string_view other : keys) {
            if (other != key) table.erase(other);
        }
    };
    if (name == "model" && key == "preset") table.clear();
    if (name != "cluster") return;
    if (key == "gpus" || key == "nodes") drop({"gpus", "nodes"});
    if (key == "gpu" || key == "preset") drop({"gpu", "preset", "links", "gpus_per_node", "device_speed"});
}

}  // namespace

Override parseOverride(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::size_t dot = text.find('.');
    if (equals == std::string_view::npos || equals + 1 == text.size() || dot == std::string_view::npos || dot == 0 ||
        dot + 1 >= equals) {
        throw InputError(fmt::format("'{}' sets nothing; write table.key=value, as plan.tp=8", text));
    }
    return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

void apply(toml::table& root, const std::vector<Override>& overrides) {
    for (const Override& override : overrides) {
        const std::size_t dot = override.key.find('.');
        const std::string name = override.key.substr(0, dot);
        const std::string key = override.key.substr(dot + 1);
        if (!root.contains(name)) root.insert(name, toml::table{});
        toml::table* table = root[name].as_table();
        if (table == nullptr) throw InputError(fmt::format("{} is no table of the scenario", name));
        const toml::table value = parsedValue(override);
        makeRoom(*table, name, key);
        table->insert_or_assign(key, *value.get("value"));
    }
}

}  // namespace orrery
