#include "cli/interrupt.hpp"

#include <csignal>

namespace orrery::cli {
namespace {
std::atomic<bool> stopped{false};

void onSignal(int signal) {
    stopped = true;
    std::signal(signal, SIG_DFL);
}
}  // namespace

std::atomic<bool>& stopOnInterrupt() {
    std::signal(SIGINT, onSignal);
    std::signal(SIGTERM, onSignal);
    return stopped;
}

}  // namespace orrery::cli
