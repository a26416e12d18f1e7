#include "profiler/inject/record.hpp"

#include <cstring>

#include "profiler/inject/clock_samples.hpp"
#include "profiler/inject/process.hpp"
#include "profiler/inject/thread_channel.hpp"

namespace orrery::inject {
namespace {

void increment(std::atomic<std::int64_t>& count) {
    // One writer: a load and a store are enough.
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Room that pops of recorded pushes will need: one record each, and one skip at the end of the ring.
std::size_t roomForPops(std::size_t pops) {
    return (pops + 1) * RingBuffer::footprint(headSize(EventKind::pop));
}

bool write(RingBuffer& ring, const Event& event, const char* text, const void* payload, std::size_t keepFree) {
    const std::size_t head = headSize(event.kind);
    const std::size_t size = RingBuffer::rounded(head + event.textSize + event.payloadSize);
    std::byte* place = ring.reserve(size, keepFree);
    if (place == nullptr) return false;
    std::memcpy(place, &event, head);
    if (event.textSize != 0) std::memcpy(place + head, text, event.textSize);
    if (event.payloadSize != 0) std::memcpy(place + head + event.textSize, payload, event.payloadSize);
    ring.commit(size);
    return true;
}

int recordPush(ThreadChannel& channel, const Event& event, const char* text, const void* payload) {
    Nesting& nesting = channel.nesting;
    const int depth = nesting.depth();
    if (nesting.full()) {
        increment(channel.tooDeep);
        nesting.push(event.domain, false);
        return depth;
    }
    const bool written = write(channel.ring, event, text, payload, roomForPops(nesting.recorded() + 1));
    if (!written) increment(channel.rangesDropped);
    nesting.push(event.domain, written);
    return depth;
}

}  // namespace

int record(Event& event, const char* text, const void* payload) noexcept {
    const Entered entered;
    if (!entered) return 0;
    try {
        ThreadChannel* channel = currentChannel();
        if (channel == nullptr) return 0;
        if (event.payloadSize > kMaxPayload) {
            increment(channel->payloadsTooLarge);
            event.payloadSize = 0;
            event.schemaId = 0;
        }
        if (event.kind == EventKind::push) return recordPush(*channel, event, text, payload);
        if (write(channel->ring, event, text, payload, roomForPops(channel->nesting.recorded()))) return 0;
        increment(event.kind == EventKind::end ? channel->endsDropped : channel->rangesDropped);
    } catch (...) {  // out of memory for a thread's channel: this event is lost, the program goes on
    }
    return 0;
}

int recordPop(std::uint32_t domain) noexcept {
    Event event;
    event.time = monotonicNow();
    event.kind = EventKind::pop;
    event.domain = domain;
    const Entered entered;
    if (!entered) return 0;
    try {
        ThreadChannel* channel = currentChannel();
        if (channel == nullptr) return 0;
        switch (channel->nesting.pop(domain)) {
            case Nesting::Popped::recorded:
                if (!write(channel->ring, event, nullptr, nullptr, 0)) increment(channel->endsDropped);
                break;
            case Nesting::Popped::nothing:
                increment(channel->popsWithoutPush);
                break;
            case Nesting::Popped::dropped:
                break;
        }
        return channel->nesting.depth();
    } catch (...) {
    }
    return 0;
}

}  // namespace orrery::inject
