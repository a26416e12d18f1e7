#include "profiler/inject/overhead_meter.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery::inject {
namespace {

constexpr std::size_t kFewest = 5;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

struct Center {
    double median = 0.0, error = 0.0;
};

Center center(const std::deque<std::int64_t>& durations) {
    std::vector<double> values(durations.begin(), durations.end());
    Center out;
    out.median = median(values);
    for (double& value : values) value = std::abs(value - out.median);
    out.error = 1.2533 * 1.4826 * median(values) / std::sqrt(static_cast<double>(values.size()));
    return out;
}

}  // namespace

void OverheadMeter::add(bool recorded, std::int64_t duration) {
    auto& steps = recorded ? with_ : without_;
    steps.push_back(duration);
    if (steps.size() > kMemory) steps.pop_front();
}

std::optional<OverheadMeter::Estimate> OverheadMeter::estimate() const {
    if (with_.size() < kFewest || without_.size() < kFewest) return std::nullopt;
    const Center with = center(with_);
    const Center without = center(without_);
    if (without.median <= 0.0) return std::nullopt;
    Estimate out;
    out.share = with.median / without.median - 1.0;
    out.uncertainty = std::hypot(with.error, without.error) / without.median;
    out.with = static_cast<std::int64_t>(with_.size());
    out.without = static_cast<std::int64_t>(without_.size());
    return out;
}

}  // namespace orrery::inject
