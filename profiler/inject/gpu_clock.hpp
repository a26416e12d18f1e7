// From the clock of the GPU's records to the profile's own, by pairs of both taken together all along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace orrery::inject {

/// CUPTI's clock is unix time in ns unless another tool of the process gave it one of its own (the PyTorch profiler:
/// the time-stamp counter), which can happen at any moment, and unix time may be stepped. So nothing is assumed but
/// that the clock runs evenly between such changes; each change starts an epoch.
class GpuClock {
  public:
    /// A pair. True when the clock is seen to have been changed since the last one.
    bool add(std::int64_t gpu, std::int64_t profile);
    /// Linear between pairs, at the recent rate beyond them. Nothing when no epoch is near.
    [[nodiscard]] std::optional<std::int64_t> toProfile(std::int64_t gpu) const;
    /// Profile ns per ns (or tick) of the clock in the newest epoch, minus 1: its drift. Nothing before a second
    /// passed.
    [[nodiscard]] std::optional<double> drift() const;
    [[nodiscard]] bool hasPairs() const { return !epochs_.empty(); }

  private:
    struct Pair {
        std::int64_t gpu = 0, profile = 0;
    };
    using Epoch = std::vector<Pair>;
    [[nodiscard]] static double rate(const Epoch& epoch);
    [[nodiscard]] static std::int64_t convert(const Epoch& epoch, std::int64_t gpu);
    [[nodiscard]] static bool fits(const Epoch& epoch, std::int64_t gpu, std::int64_t profile);
    std::vector<Epoch> epochs_;
};

}  // namespace orrery::inject
