// Progress on a terminal and cancelling with Ctrl-C, for long commands.
#pragma once

#include "importers/importer.hpp"

namespace orrery::cli {

/// Shows "42 %" on stderr when it is a terminal; the first Ctrl-C cancels, a second one ends the program as usual.
[[nodiscard]] importers::Progress terminalProgress();

}  // namespace orrery::cli
