// The subcommands of `orrery`, one file each. Each function adds its subcommand and what runs when it is called.
#pragma once

#include <CLI/CLI.hpp>

namespace orrery::cli {

void addCalibrate(CLI::App& app);
void addValidate(CLI::App& app);

}  // namespace orrery::cli
