// Activity buffers, all allocated before CUPTI asks for the first. Taking and giving back is free of locks and of
// allocation: it happens inside the program's kernel launches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace orrery::cupti {

/// Copies of the names that a buffer's records point to; made when the buffer completes, because CUPTI may free them
/// after the callback. Fixed size: what does not fit is refused.
class NameCopies {
  public:
    NameCopies();
    /// The copy of `name` (cut to 4096 bytes). Equal pointers within one buffer are one name. nullptr: full.
    const char* copy(const char* name);
    void clear();

  private:
    static constexpr std::size_t kBytes = std::size_t{256} << 10U;
    static constexpr std::size_t kSlots = 4096;  ///< power of two
    struct Slot {
        const char* original = nullptr;
        const char* copied = nullptr;
    };
    std::vector<char> text_;
    std::vector<Slot> slots_;
    std::size_t used_ = 0, names_ = 0;
};

struct Buffer {
    std::uint8_t* bytes = nullptr;
    std::size_t size = 0, validSize = 0;
    NameCopies names;
    Buffer* next = nullptr;  ///< in the list of completed ones
    void* context = nullptr;
    std::uint32_t stream = 0;
};

class BufferPool {
  public:
    static constexpr std::size_t kMostBuffers = 64;
    /// \pre 1 <= count <= kMostBuffers. All memory is touched here, not at its first use.
    BufferPool(std::size_t count, std::size_t bytesEach);

    /// nullptr: all are in use. Lock-free, from any thread.
    Buffer* take();
    /// The buffer whose memory starts at `bytes`; nullptr: not one of ours.
    [[nodiscard]] Buffer* find(const std::uint8_t* bytes);
    void giveBack(Buffer* buffer);

    /// Lock-free, from any thread.
    void complete(Buffer* buffer);
    /// Completed buffers in the order of their completion, linked by `next`. One thread only.
    Buffer* takeCompleted();

    [[nodiscard]] std::size_t count() const { return buffers_.size(); }
    [[nodiscard]] std::size_t bytesEach() const { return bytesEach_; }

  private:
    std::size_t bytesEach_;
    std::unique_ptr<std::uint8_t[]> memory_;
    std::vector<Buffer> buffers_;
    std::atomic<std::uint64_t> free_{0};  ///< a bit a buffer
    std::atomic<Buffer*> completed_{nullptr};
};

}  // namespace orrery::cupti
