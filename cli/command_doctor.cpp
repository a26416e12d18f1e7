#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/machine_checks.hpp"

namespace orrery::cli {
namespace {

void print(const std::vector<MachineCheck>& checks) {
    for (const MachineCheck& check : checks) {
        fmt::print("{:<8}{:<16}{}\n", check.usable ? "ok" : "missing", check.name,
                   check.usable ? check.found : "for " + check.what);
        if (!check.usable) fmt::print("{:<24}{}\n", "", check.mend);
    }
}

void printJson(const std::vector<MachineCheck>& checks) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const MachineCheck& check : checks) {
        list.push_back({{"name", check.name},
                        {"usable", check.usable},
                        {"found", check.found},
                        {"what", check.what},
                        {"mend", check.usable ? "" : check.mend}});
    }
    const nlohmann::ordered_json whole{{"checks", list}};
    fmt::print("{}\n", whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void addDoctor(CLI::App& app) {
    const auto json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("doctor", "what of this machine is usable, and what to do if not");
    command->add_flag("--json", *json, "machine-readable (docs/cli.md)");
    command->callback([json] {
        const auto checks = checkMachine();
        *json ? printJson(checks) : print(checks);
    });
}

}  // namespace orrery::cli
