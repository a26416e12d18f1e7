// Runs a command as if the agent were not there: signals reach it once, its exit code comes back.
#pragma once

#include <string>
#include <vector>

namespace orrery::agent {

/// Waits for the command and returns its exit code, 128 + signal when it died of one. Signals sent to the agent are
/// passed on; what a terminal sends (Ctrl-C) reaches the command by itself.
/// Throws InputError when the command cannot be run.
int runAndWait(const std::vector<std::string>& command);

}  // namespace orrery::agent
