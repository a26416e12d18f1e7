// A byte ring between one producer thread and the drain thread: no lock, no allocation, a full ring refuses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace orrery::inject {

/// Records are multiples of 8 bytes and never wrap: a record that would cross the end is preceded by a skip mark.
class RingBuffer {
  public:
    /// \pre capacity is a power of two, at least 4 KiB. Pages are touched only as the ring fills.
    explicit RingBuffer(std::size_t capacity) : capacity_(capacity), bytes_(new std::byte[capacity]) {}

    /// Space for `size` bytes, to be filled and then published with commit(). nullptr when less than `keepFree` bytes
    /// would stay free: the producer's guarantee that what must follow (the pops of pushes) finds room.
    [[nodiscard]] std::byte* reserve(std::size_t size, std::size_t keepFree = 0) {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);
        const std::size_t at = head & (capacity_ - 1);
        const std::size_t skip = at + kHeader + size > capacity_ ? capacity_ - at : 0;
        const std::uint64_t needed = skip + kHeader + size;
        if (head + needed + keepFree - cachedTail_ > capacity_) {
            cachedTail_ = tail_.load(std::memory_order_acquire);
            if (head + needed + keepFree - cachedTail_ > capacity_) return nullptr;
        }
        if (skip != 0) writeSize(at, kSkip);
        pending_ = head + skip;
        writeSize(pending_ & (capacity_ - 1), size);
        return bytes_.get() + (pending_ & (capacity_ - 1)) + kHeader;
    }
    void commit(std::size_t size) { head_.store(pending_ + kHeader + size, std::memory_order_release); }

    /// What a call to drain() found and left, in bytes.
    struct Drained {
        std::size_t waiting = 0, left = 0;
    };

    /// Hands published records to `visit(std::span<const std::byte>)` and frees their space, until none is left or more
    /// than `limit` bytes went.
    template <typename Visit>
    Drained drain(Visit visit, std::size_t limit = ~std::size_t{0}) {
        std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        const std::uint64_t head = head_.load(std::memory_order_acquire);
        const std::uint64_t first = tail;
        while (tail != head && tail - first <= limit) {
            const std::size_t at = tail & (capacity_ - 1);
            std::uint64_t size = 0;
            std::memcpy(&size, bytes_.get() + at, sizeof(size));
            if (size == kSkip) {
                tail += capacity_ - at;
                continue;
            }
            visit(std::span<const std::byte>(bytes_.get() + at + kHeader, size));
            tail += kHeader + size;
            tail_.store(tail, std::memory_order_release);
        }
        tail_.store(tail, std::memory_order_release);
        return {static_cast<std::size_t>(head - first), static_cast<std::size_t>(head - tail)};
    }

    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    [[nodiscard]] static constexpr std::size_t rounded(std::size_t size) { return (size + 7) & ~std::size_t{7}; }
    /// What a record of `size` bytes takes in the ring.
    [[nodiscard]] static constexpr std::size_t footprint(std::size_t size) { return kHeader + rounded(size); }

  private:
    static constexpr std::size_t kHeader = 8;
    static constexpr std::uint64_t kSkip = ~std::uint64_t{0};
    void writeSize(std::size_t at, std::uint64_t size) { std::memcpy(bytes_.get() + at, &size, sizeof(size)); }

    const std::size_t capacity_;
    std::unique_ptr<std::byte[]> bytes_;
    std::uint64_t cachedTail_ = 0;  ///< producer's last look at the tail
    std::uint64_t pending_ = 0;
    alignas(64) std::atomic<std::uint64_t> head_{0};
    alignas(64) std::atomic<std::uint64_t> tail_{0};
};

}  // namespace orrery::inject
