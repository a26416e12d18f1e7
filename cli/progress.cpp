#include "cli/progress.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace orrery::cli {
namespace {
std::atomic<bool> cancelled{false};

void onInterrupt(int signal) {
    cancelled = true;
    std::signal(signal, SIG_DFL);
}
}  // namespace

importers::Progress terminalProgress() {
    std::signal(SIGINT, onInterrupt);
    importers::Progress progress;
    progress.cancelled = &cancelled;
    if (::isatty(STDERR_FILENO) != 0) {
        progress.report = [last = std::uint64_t{101}](std::uint64_t done, std::uint64_t total) mutable {
            const std::uint64_t percent = total == 0 ? 100 : done * 100 / total;
            if (percent == last) return;
            last = percent;
            fmt::print(stderr, "\r{:3} %{}", percent, percent >= 100 ? "\r     \r" : "");
            std::fflush(stderr);
        };
    }
    return progress;
}

}  // namespace orrery::cli
