// What a recorded command left behind, told on stderr so that the command's own output stays clean.
#pragma once

#include <filesystem>
#include <string>

namespace orrery::agent {

/// Prints the profiles that this session left in the folder: processes, ranges, losses by kind, and the command that
/// merges them. Says so when there are profiles of other sessions, which that command would merge too.
void printSummary(const std::filesystem::path& folder, const std::string& session);

}  // namespace orrery::agent
