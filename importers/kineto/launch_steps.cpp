#include "importers/kineto/launch_steps.hpp"

#include <algorithm>
#include <tuple>

namespace orrery::importers {

void LaunchSteps::sort() {
    const auto byStart = [](const Step& a, const Step& b) {
        return std::tie(a.device, a.start) < std::tie(b.device, b.start);
    };
    std::sort(host_.begin(), host_.end(), byStart);
    std::sort(device_.begin(), device_.end(), byStart);
    if (host_.empty()) launches_ = {};
    std::sort(launches_.begin(), launches_.end());
}

std::optional<std::int64_t> LaunchSteps::find(const std::vector<Step>& steps, std::int64_t device, std::int64_t time) {
    const auto after = std::upper_bound(steps.begin(), steps.end(), std::pair(device, time),
                                        [](const std::pair<std::int64_t, std::int64_t>& key, const Step& step) {
                                            return key < std::pair(step.device, step.start);
                                        });
    if (after == steps.begin()) return std::nullopt;
    const Step& step = *std::prev(after);
    return step.device == device && time <= step.end ? std::optional(step.number) : std::nullopt;
}

std::optional<std::int64_t> LaunchSteps::stepOf(std::optional<std::int64_t> correlation, std::int64_t device,
                                                std::int64_t start) const {
    if (correlation) {
        // Ids are 32 bits and wrap in long traces: the launch is the last one before the kernel.
        auto launch = std::upper_bound(launches_.begin(), launches_.end(), std::pair(*correlation, start));
        if (launch != launches_.begin() && std::prev(launch)->first == *correlation)
            return find(host_, -1, std::prev(launch)->second);
        // Clocks of host and device may differ by a little: a launch that seems to come after its kernel.
        if (launch != launches_.end() && launch->first == *correlation) return find(host_, -1, launch->second);
    }
    return find(device_, device, start);
}

}  // namespace orrery::importers
