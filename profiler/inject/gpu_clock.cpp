#include "profiler/inject/gpu_clock.hpp"

#include <algorithm>
#include <cmath>

namespace orrery::inject {
namespace {

constexpr std::size_t kMostPairs = 4096, kMostEpochs = 64;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kRateSpan = 10 * kSecond;  ///< the recent rate is taken over this time
constexpr std::int64_t kReach = 60 * kSecond;     ///< how far outside its pairs an epoch is believed
/// A clock in ns does not run wrong by more than this; over short times pairs measure worse than that.
constexpr double kNanosecondTolerance = 0.01;

}  // namespace

double GpuClock::rate(const Epoch& epoch) {
    const Pair& last = epoch.back();
    auto first = std::find_if(epoch.begin(), epoch.end(),
                              [&](const Pair& pair) { return last.profile - pair.profile <= kRateSpan; });
    const auto gpu = static_cast<double>(last.gpu - first->gpu);
    const auto profile = static_cast<double>(last.profile - first->profile);
    if (gpu <= 0.0 || profile <= 0.0) return 1.0;
    const double measured = profile / gpu;
    const bool nanoseconds = std::abs(measured - 1.0) < kNanosecondTolerance;
    return nanoseconds && last.profile - first->profile < kSecond ? 1.0 : measured;
}

std::int64_t GpuClock::convert(const Epoch& epoch, std::int64_t gpu) {
    const auto after =
        std::find_if(epoch.rbegin(), epoch.rend(), [&](const Pair& pair) { return pair.gpu <= gpu; }).base();
    if (after == epoch.begin() || after == epoch.end()) {
        const Pair& nearest = after == epoch.begin() ? epoch.front() : epoch.back();
        return nearest.profile + std::llround(static_cast<double>(gpu - nearest.gpu) * rate(epoch));
    }
    const Pair& from = *(after - 1);
    const double share = static_cast<double>(gpu - from.gpu) / static_cast<double>(after->gpu - from.gpu);
    return from.profile + std::llround(share * static_cast<double>(after->profile - from.profile));
}

bool GpuClock::fits(const Epoch& epoch, std::int64_t gpu, std::int64_t profile) {
    const Pair& last = epoch.back();
    const std::int64_t passed = profile - last.profile;
    if (gpu <= last.gpu) return false;
    if (epoch.size() == 1) {  // the rate is not known yet: anything a clock could be
        const double measured =
            static_cast<double>(gpu - last.gpu) / static_cast<double>(std::max<std::int64_t>(passed, 1));
        return measured > 0.01 && measured < 100.0;
    }
    const double error = std::abs(static_cast<double>(convert(epoch, gpu) - profile));
    return error < std::max(1e6, 0.01 * static_cast<double>(passed));
}

bool GpuClock::add(std::int64_t gpu, std::int64_t profile) {
    const bool changed = !epochs_.empty() && !fits(epochs_.back(), gpu, profile);
    if (epochs_.empty() || changed) {
        if (epochs_.size() == kMostEpochs) epochs_.erase(epochs_.begin());
        epochs_.emplace_back();
    }
    Epoch& epoch = epochs_.back();
    if (epoch.size() == kMostPairs) epoch.erase(epoch.begin(), epoch.begin() + kMostPairs / 2);
    epoch.push_back({gpu, profile});
    return changed;
}

std::optional<std::int64_t> GpuClock::toProfile(std::int64_t gpu) const {
    for (auto epoch = epochs_.rbegin(); epoch != epochs_.rend(); ++epoch) {
        const auto reach = static_cast<std::int64_t>(static_cast<double>(kReach) / rate(*epoch));
        if (gpu < epoch->front().gpu - reach || gpu > epoch->back().gpu + reach) continue;
        return convert(*epoch, gpu);
    }
    return std::nullopt;
}

std::optional<double> GpuClock::drift() const {
    if (epochs_.empty()) return std::nullopt;
    const Epoch& epoch = epochs_.back();
    if (epoch.back().profile - epoch.front().profile < kSecond) return std::nullopt;
    return rate(epoch) - 1.0;
}

}  // namespace orrery::inject
