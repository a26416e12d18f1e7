// The example that the app brings along.
#pragma once

#include <filesystem>

namespace orrery::gui {

/// Writes the built-in scenario to a file of this process and returns it; the file goes away with the process. Throws
/// InputError when no temporary file can be written.
[[nodiscard]] std::filesystem::path exampleFile();

}  // namespace orrery::gui
