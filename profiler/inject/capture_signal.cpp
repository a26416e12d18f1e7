#include "profiler/inject/capture_signal.hpp"

#include <atomic>
#include <csignal>

namespace orrery::inject {
namespace {

constinit std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free);  // for use in a signal handler

void count(int) {
    received.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

bool watchCaptureSignal(int signal) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return false;
    struct sigaction action {};
    action.sa_handler = &count;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return ::sigaction(signal, &action, nullptr) == 0;
}

int takeCaptureSignals() {
    return received.exchange(0, std::memory_order_relaxed);
}

}  // namespace orrery::inject
