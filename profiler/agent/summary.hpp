// What a recorded command left behind, told on stderr so that the command's own output stays clean.
#pragma once

#include <filesystem>
#include <set>

namespace orrery::agent {

/// Profile files in a folder.
std::set<std::filesystem::path> profilesIn(const std::filesystem::path& folder);

/// Prints the profiles that are new since `before`: processes, ranges, losses, and the command that merges them.
void printSummary(const std::filesystem::path& folder, const std::set<std::filesystem::path>& before);

}  // namespace orrery::agent
