// What recording costs, from the lengths of steps with and without it in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace orrery::inject {

class OverheadMeter {
  public:
    /// Steps of each kind that the estimate looks back on.
    static constexpr std::size_t kMemory = 64;

    void add(bool recorded, std::int64_t duration);

    struct Estimate {
        double share = 0.0;        ///< (median recorded - median not) / median not; may be negative
        double uncertainty = 0.0;  ///< one standard error of it
        std::int64_t with = 0, without = 0;
    };
    /// Nothing before five steps of each kind. Medians, because steps that wait for a checkpoint or a data loader say
    /// nothing of recording; standard errors of medians as 1.2533 sigma / sqrt(n), sigma as 1.4826 times the median
    /// absolute deviation (both for a normal law).
    [[nodiscard]] std::optional<Estimate> estimate() const;

  private:
    std::deque<std::int64_t> with_, without_;
};

}  // namespace orrery::inject
