// What one thread of the program writes to, and what it lost.
#pragma once

#include <atomic>
#include <cstdint>

#include "profiler/inject/nesting.hpp"
#include "profiler/inject/ring_buffer.hpp"

namespace orrery::inject {

struct ThreadChannel {
    ThreadChannel(std::int64_t threadId, std::size_t ringBytes) : thread(threadId), ring(ringBytes) {}

    const std::int64_t thread;  ///< as the operating system numbers it
    RingBuffer ring;
    Nesting nesting;                 ///< producer's
    std::atomic<bool> ended{false};  ///< the thread is gone: drain once more, then free

    // Counted by the producer, read by the drain thread.
    std::atomic<std::int64_t> rangesDropped{0};     ///< ranges and marks refused by a full ring
    std::atomic<std::int64_t> endsDropped{0};       ///< ends of start/end ranges refused: the range stays open
    std::atomic<std::int64_t> tooDeep{0};           ///< pushes beyond Nesting::kLimit
    std::atomic<std::int64_t> payloadsTooLarge{0};  ///< payloads above kMaxPayload, or of unknown size
    std::atomic<std::int64_t> popsWithoutPush{0};
};

}  // namespace orrery::inject
