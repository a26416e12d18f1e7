#include "profiler/inject/gpu_recording.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>

#include <unistd.h>

#include "profiler/cupti/session.hpp"

namespace orrery::inject {
namespace {
constinit std::atomic<bool> started{false}, recordable{false};
constinit std::once_flag once;
}  // namespace

void startGpuRecording(const Settings& settings) {
    std::call_once(once, [&] {
        if (!settings.gpu.enabled) return;
        cupti::Session& session = cupti::Session::instance();
        cupti::SessionOptions options;
        options.library = settings.gpu.library;
        options.buffers = settings.gpu.buffers;
        options.bufferBytes = settings.gpu.bufferBytes;
        options.copies = settings.gpu.copies;
        options.launches = settings.gpu.launches;
        options.synchronization = settings.gpu.synchronization;
        const cupti::SessionState state = session.open(options);
        const bool recording = state == cupti::SessionState::ready && session.enable();
        // A recording that begins later must know now whether it can; the drain thread switches on when it is time.
        if (recording && settings.capture.controlled()) session.disable();
        recordable.store(recording);
        started.store(true, std::memory_order_release);
        if (recording) return;
        if (state == cupti::SessionState::occupied && settings.gpu.refuseOnConflict) {
            std::fprintf(stderr,
                         "orrery: process %d ends: %s; end the other one, or record without --on-conflict refuse\n",
                         ::getpid(), session.message().c_str());
            ::_exit(2);
        }
        std::fprintf(stderr, "orrery: process %d: kernels are not recorded: %s\n", ::getpid(),
                     session.message().c_str());
    });
}

bool gpuStarted() {
    return started.load(std::memory_order_acquire);
}

bool gpuRecordable() {
    return recordable.load(std::memory_order_acquire);
}

void abandonGpuRecording() {
    if (!started.load()) return;
    started.store(false);
    cupti::Session::instance().abandon();
}

}  // namespace orrery::inject
