// Ctrl-C that ends long work early instead of losing it.
#pragma once

#include <atomic>

namespace orrery::cli {

/// From the first call on, the first SIGINT or SIGTERM sets the flag; a second one ends the program as usual.
[[nodiscard]] std::atomic<bool>& stopOnInterrupt();

}  // namespace orrery::cli
