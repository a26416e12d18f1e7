// The subcommands of `orrery`, one file each (cli/command_NAME.cpp). Each function adds its subcommand and what runs
// when it is called; a new command is a declaration here and a line in kCommandTable.
#pragma once

#include <array>

#include <CLI/CLI.hpp>

namespace orrery::cli {

void addImport(CLI::App& app);
void addInfo(CLI::App& app);
void addCalibrate(CLI::App& app);
void addPredict(CLI::App& app);
void addCompare(CLI::App& app);
void addReport(CLI::App& app);
void addValidate(CLI::App& app);
void addReplay(CLI::App& app);
void addPack(CLI::App& app);
void addSearch(CLI::App& app);
void addSweep(CLI::App& app);
void addCapacity(CLI::App& app);
void addPlan(CLI::App& app);
void addScenario(CLI::App& app);
void addDoctor(CLI::App& app);

/// In the order in which help lists them.
inline constexpr std::array kCommandTable{
    &addImport, &addInfo,   &addCalibrate, &addPredict,  &addCompare, &addReport,   &addValidate, &addReplay,
    &addPack,   &addSearch, &addSweep,     &addCapacity, &addPlan,    &addScenario, &addDoctor,
};

}  // namespace orrery::cli
