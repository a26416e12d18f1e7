// Nothing half-written: a file appears whole under its name or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace orrery {

/// Writes `content` beside `file` and renames it into place. Throws InputError when the place cannot be written.
void writeFile(const std::filesystem::path& file, std::string_view content);

}  // namespace orrery
