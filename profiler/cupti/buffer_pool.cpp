#include "profiler/cupti/buffer_pool.hpp"

#include <bit>
#include <cstring>

namespace orrery::cupti {
namespace {
constexpr std::size_t kLongestName = 4096;
}

NameCopies::NameCopies() : text_(kBytes), slots_(kSlots) {}

const char* NameCopies::copy(const char* name) {
    // A multiplicative hash of the address (Knuth, vol. 3, section 6.4).
    std::size_t at = (reinterpret_cast<std::uintptr_t>(name) * 0x9E3779B97F4A7C15ULL) >> 52U;
    while (slots_[at].original != nullptr) {
        if (slots_[at].original == name) return slots_[at].copied;
        at = (at + 1) & (kSlots - 1);
    }
    const std::size_t length = ::strnlen(name, kLongestName);
    if (names_ + 1 >= kSlots || used_ + length + 1 > kBytes) return nullptr;
    char* copied = text_.data() + used_;
    std::memcpy(copied, name, length);
    copied[length] = '\0';
    used_ += length + 1;
    ++names_;
    slots_[at] = {name, copied};
    return copied;
}

void NameCopies::clear() {
    if (names_ != 0) std::fill(slots_.begin(), slots_.end(), Slot{});
    used_ = names_ = 0;
}

BufferPool::BufferPool(std::size_t count, std::size_t bytesEach)
    : bytesEach_((bytesEach + 63) & ~std::size_t{63}),
      memory_(new std::uint8_t[count * bytesEach_]()),
      buffers_(count) {
    for (std::size_t i = 0; i < count; ++i) {
        buffers_[i].bytes = memory_.get() + i * bytesEach_;
        buffers_[i].size = bytesEach_;
    }
    free_.store(count == kMostBuffers ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
}

Buffer* BufferPool::take() {
    std::uint64_t free = free_.load(std::memory_order_relaxed);
    while (free != 0) {
        const std::uint64_t lowest = free & (~free + 1);
        if (free_.compare_exchange_weak(free, free & ~lowest, std::memory_order_acquire, std::memory_order_relaxed)) {
            return &buffers_[static_cast<std::size_t>(std::countr_zero(lowest))];
        }
    }
    return nullptr;
}

Buffer* BufferPool::find(const std::uint8_t* bytes) {
    if (bytes < memory_.get() || bytes >= memory_.get() + buffers_.size() * bytesEach_) return nullptr;
    const auto offset = static_cast<std::size_t>(bytes - memory_.get());
    return offset % bytesEach_ == 0 ? &buffers_[offset / bytesEach_] : nullptr;
}

void BufferPool::giveBack(Buffer* buffer) {
    buffer->names.clear();
    buffer->validSize = 0;
    const auto index = static_cast<std::size_t>(buffer - buffers_.data());
    free_.fetch_or(std::uint64_t{1} << index, std::memory_order_release);
}

void BufferPool::complete(Buffer* buffer) {
    Buffer* head = completed_.load(std::memory_order_relaxed);
    do {
        buffer->next = head;
    } while (!completed_.compare_exchange_weak(head, buffer, std::memory_order_release, std::memory_order_relaxed));
}

Buffer* BufferPool::takeCompleted() {
    Buffer* newest = completed_.exchange(nullptr, std::memory_order_acquire);
    Buffer* ordered = nullptr;
    while (newest != nullptr) {
        Buffer* older = newest->next;
        newest->next = ordered;
        ordered = newest;
        newest = older;
    }
    return ordered;
}

}  // namespace orrery::cupti
