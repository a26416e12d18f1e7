// Which formats there are, and which one wrote a given file. A new format is one line in registry.cpp.
#pragma once

#include <filesystem>
#include <vector>

#include "importers/importer.hpp"

namespace orrery::importers {

[[nodiscard]] const std::vector<const Importer*>& allImporters();

/// The format of a file, by its content. Throws InputError that lists what is known when nothing matches.
[[nodiscard]] const Importer& importerFor(const std::filesystem::path& file);

}  // namespace orrery::importers
