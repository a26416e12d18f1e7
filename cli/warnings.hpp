// Warnings of an import on stderr, a line each.
#pragma once

#include <cstddef>

#include "importers/import_paths.hpp"

namespace orrery::cli {

/// Returns how many there were, notes not counted.
std::size_t printWarnings(const importers::ImportSummary& summary);

}  // namespace orrery::cli
