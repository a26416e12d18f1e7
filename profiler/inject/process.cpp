#include "profiler/inject/process.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/inject/capture_signal.hpp"
#include "profiler/inject/gpu_recording.hpp"
#include "profiler/inject/names.hpp"
#include "profiler/inject/recorder.hpp"

namespace orrery::inject {
namespace {

/// How long the program's exit waits for the last events to be written.
constexpr std::chrono::milliseconds kExitLimit{10'000};
/// How long a fork() waits for the drain thread to finish its pass.
constexpr std::chrono::milliseconds kForkLimit{2'000};

/// Constant-initialised and trivially destroyed: callable before and after every static of the program.
struct Process {
    std::mutex creation;
    std::atomic<Recorder*> recorder{nullptr};
    std::atomic<std::uint32_t> epoch{1};  ///< changes when threads must look again whether and where to record
    std::atomic<bool> stopped{false};     ///< exit has begun, recording failed, or this child cannot record
    std::atomic<bool> failed{false};
    std::atomic<std::int64_t> refused{0};  ///< events after a failure
    bool hooked = false;                   ///< exit and fork handlers are in place
    bool watching = false;                 ///< the handler of the capture signal is in place
    bool paused = false;                   ///< the drain thread rests for the fork() in progress
};
constinit Process process;

struct ThreadState {
    ThreadChannel* channel = nullptr;
    std::uint32_t epoch = 0;
    bool inside = false, ignored = false;
};
constinit thread_local ThreadState threadState;

/// A thread that ends hands its channel back. Not for the main thread, whose locals go before the program's statics.
struct ThreadEnd {
    ~ThreadEnd() {
        if (threadState.channel != nullptr) threadState.channel->ended.store(true, std::memory_order_release);
        threadState.channel = nullptr;
        threadState.ignored = true;
    }
    void watch() {}
};
thread_local ThreadEnd threadEnd;

void beforeFork() {
    process.creation.lock();
    Recorder* recorder = process.recorder.load();
    process.paused = recorder != nullptr && recorder->pause(kForkLimit);
    Names::instance().mutex().lock();
}
void afterForkInParent() {
    Names::instance().mutex().unlock();
    if (process.paused) process.recorder.load()->resume();
    process.creation.unlock();
}
void afterForkInChild() {
    Names::instance().mutex().unlock();
    // The parent's recorder, its file and its drain thread stay with the parent; the child's copy is abandoned as it
    // is. A drain thread that would not rest may have held a lock of SQLite: then the child must not record.
    if (process.recorder.load() != nullptr && !process.paused) process.stopped.store(true);
    process.recorder.store(nullptr);
    abandonGpuRecording();
    process.epoch.fetch_add(1);
    process.refused.store(0);
    process.creation.unlock();
}

void finishAtExit() {
    const std::scoped_lock lock(process.creation);
    process.stopped.store(true);
    process.epoch.fetch_add(1);
    Recorder* recorder = process.recorder.load();
    if (recorder != nullptr && !recorder->stop(kExitLimit)) {
        std::fprintf(stderr, "orrery: process %d did not wait longer for its last events to be written\n", ::getpid());
    }
    if (const std::int64_t refused = process.refused.load(); refused > 0) {
        std::fprintf(stderr, "orrery: process %d: %lld events came after recording had stopped\n", ::getpid(),
                     static_cast<long long>(refused));
    }
}

/// \pre `creation` is not held by this thread
Recorder* currentRecorder() {
    if (Recorder* recorder = process.recorder.load(std::memory_order_acquire)) return recorder;
    const std::scoped_lock lock(process.creation);
    if (Recorder* recorder = process.recorder.load()) return recorder;
    if (process.stopped.load()) return nullptr;
    if (!process.hooked) {
        process.hooked = true;
        pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
        std::atexit(finishAtExit);
    }
    auto* made = new Recorder(settingsFromEnvironment());
    const int signal = made->settings().capture.signal;
    // A fork()ed child has its parent's handler.
    if (signal != 0 && !process.watching && !(process.watching = watchCaptureSignal(signal))) {
        std::fprintf(stderr, "orrery: process %d has a handler of its own for signal %d: not used\n", ::getpid(),
                     signal);
    }
    try {
        made->start();
    } catch (const std::exception& error) {
        process.stopped.store(true);
        std::fprintf(stderr, "orrery: process %d is not recorded: %s\n", ::getpid(), error.what());
        return nullptr;
    }
    process.recorder.store(made, std::memory_order_release);
    return made;
}

/// First event of a thread, and the first after a fork, an exit or a failure.
ThreadChannel* lookAgain() {
    const std::uint32_t epoch = process.epoch.load();
    ThreadChannel* channel = nullptr;
    if (!threadState.ignored && !process.stopped.load()) {
        if (Recorder* recorder = currentRecorder()) channel = recorder->newChannel();
    }
    if (channel != nullptr && ::syscall(SYS_gettid) != ::getpid()) threadEnd.watch();
    threadState.channel = channel;
    threadState.epoch = epoch;
    return channel;
}

}  // namespace

ThreadChannel* currentChannel() {
    ThreadChannel* channel =
        threadState.epoch == process.epoch.load(std::memory_order_relaxed) ? threadState.channel : lookAgain();
    if (channel == nullptr && process.failed.load(std::memory_order_relaxed)) {
        process.refused.fetch_add(1, std::memory_order_relaxed);
    }
    return channel;
}

const Settings* startRecorder() {
    Recorder* recorder = currentRecorder();
    return recorder != nullptr ? &recorder->settings() : nullptr;
}

void ignoreThisThread() {
    threadState.ignored = true;
    threadState.inside = true;
}

void recordingFailed() {
    process.failed.store(true);
    process.stopped.store(true);
    process.epoch.fetch_add(1);
}

Entered::Entered() : first_(!threadState.inside) {
    threadState.inside = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

Entered::~Entered() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (first_) threadState.inside = false;
}

}  // namespace orrery::inject
