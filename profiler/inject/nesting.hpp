// Which push/pop ranges of a thread are open, and which of them made it into the ring: a push that was dropped takes
// its pop with it, so that a full ring loses whole ranges and never pairs a pop with the wrong push.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace orrery::inject {

/// Used by the thread that owns it. Domains nest on their own (NVTX), so a pop looks for its own domain.
class Nesting {
  public:
    enum class Popped : std::uint8_t { nothing, dropped, recorded };
    static constexpr std::size_t kLimit = 1024;

    /// A push beyond the limit cannot be remembered and must not be recorded.
    [[nodiscard]] bool full() const { return size_ == kLimit; }
    [[nodiscard]] int depth() const { return static_cast<int>(size_ + beyond_); }
    /// Open ranges whose push is in the ring: so many pops must find room there.
    [[nodiscard]] std::size_t recorded() const { return recorded_; }

    /// \pre !recorded || !full()
    void push(std::uint32_t domain, bool recorded) {
        if (full()) {
            ++beyond_;
            return;
        }
        open_[size_++] = {domain, recorded};
        recorded_ += recorded ? 1 : 0;
    }

    Popped pop(std::uint32_t domain) {
        if (beyond_ > 0) {  // the innermost ranges are those beyond the limit, whatever their domains
            --beyond_;
            return Popped::dropped;
        }
        for (std::size_t i = size_; i-- > 0;) {
            if (open_[i].domain != domain) continue;
            const bool recorded = open_[i].recorded;
            for (std::size_t j = i + 1; j < size_; ++j) open_[j - 1] = open_[j];
            --size_;
            recorded_ -= recorded ? 1 : 0;
            return recorded ? Popped::recorded : Popped::dropped;
        }
        return Popped::nothing;
    }

  private:
    struct Entry {
        std::uint32_t domain = 0;
        bool recorded = false;
    };
    std::array<Entry, kLimit> open_{};
    std::size_t size_ = 0, recorded_ = 0, beyond_ = 0;
};

}  // namespace orrery::inject
