// The recorder of one process: a ring for every thread that marks ranges, one drain thread, one profile file.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "profiler/inject/event.hpp"
#include "profiler/inject/ring_buffer.hpp"
#include "profiler/inject/settings.hpp"

namespace orrery::inject {

[[nodiscard]] std::int64_t monotonicNow();

/// What one thread of the program writes to.
struct ThreadChannel {
    ThreadChannel(std::int64_t threadId, std::size_t ringBytes) : thread(threadId), ring(ringBytes) {}
    const std::int64_t thread;
    RingBuffer ring;
    std::atomic<std::int64_t> dropped{0};           ///< events refused by a full ring
    std::atomic<std::int64_t> payloadsTooLarge{0};  ///< payloads above kMaxPayload
};

class Recorder {
  public:
    /// Opens the profile and starts the drain thread. A failure is told on stderr once and the recorder stays off.
    explicit Recorder(Settings settings);

    /// The calling thread's channel, made at its first event. nullptr when the recorder is off.
    ThreadChannel* channel();

    /// Drains what is left, closes the file, ends the drain thread. Events that come later are ignored.
    void finish();

  private:
    void drainLoop();

    Settings settings_;
    std::mutex channelsMutex_;
    std::vector<std::shared_ptr<ThreadChannel>> channels_;
    std::atomic<bool> on_{false};
    std::mutex wakeMutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::thread drainer_;
};

/// The recorder of this process, made at the first event; a new one after fork(). nullptr once finished.
Recorder* currentRecorder();

/// Appends one event to the calling thread's ring. Never blocks, never throws, never allocates after a thread's first.
void record(Event event, const char* text, const void* payload) noexcept;

}  // namespace orrery::inject
