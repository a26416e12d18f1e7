// The step of a kernel is the step in which the host launched it, however much later it ran.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace orrery::importers {

class LaunchSteps {
  public:
    /// An API call with a correlation id.
    void addLaunch(std::int64_t correlation, std::int64_t start) { launches_.emplace_back(correlation, start); }
    /// A step as the host saw it.
    void addStep(std::int64_t number, std::int64_t start, std::int64_t duration) {
        host_.push_back({-1, start, start + duration, number});
    }
    /// A step as a device saw it; for kernels whose launch the trace does not hold.
    void addDeviceStep(std::int64_t device, std::int64_t number, std::int64_t start, std::int64_t duration) {
        device_.push_back({device, start, start + duration, number});
    }
    /// Call once, after the last add.
    void sort();
    /// Nothing for kernels that were launched outside of all steps.
    [[nodiscard]] std::optional<std::int64_t> stepOf(std::optional<std::int64_t> correlation, std::int64_t device,
                                                     std::int64_t start) const;

  private:
    struct Step {
        std::int64_t device = -1, start = 0, end = 0, number = 0;
    };
    static std::optional<std::int64_t> find(const std::vector<Step>& steps, std::int64_t device, std::int64_t time);

    std::vector<std::pair<std::int64_t, std::int64_t>> launches_;
    std::vector<Step> host_, device_;
};

}  // namespace orrery::importers
