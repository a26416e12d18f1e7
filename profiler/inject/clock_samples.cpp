#include "profiler/inject/clock_samples.hpp"

#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace orrery::inject {
namespace {
std::int64_t nanoseconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}
}  // namespace

std::int64_t monotonicNow() {
    return nanoseconds(CLOCK_MONOTONIC);
}

ClockSampleRow sampleClocks(std::int64_t rankId) {
    ClockSampleRow best;
    for (int attempt = 0; attempt < 5; ++attempt) {
        ClockSampleRow sample;
        const std::int64_t before = nanoseconds(CLOCK_MONOTONIC);
        sample.realtime = nanoseconds(CLOCK_REALTIME);
        sample.monotonicRaw = nanoseconds(CLOCK_MONOTONIC_RAW);
#if defined(__x86_64__)
        sample.tsc = static_cast<std::int64_t>(__rdtsc());
#endif
        const std::int64_t after = nanoseconds(CLOCK_MONOTONIC);
        sample.rankId = rankId;
        sample.profile = before + (after - before) / 2;
        sample.window = after - before;
        if (attempt == 0 || sample.window < best.window) best = sample;
    }
    return best;
}

}  // namespace orrery::inject
