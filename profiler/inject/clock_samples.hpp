// Pairs of clocks taken together, so that profiles of different processes and hosts can be laid on one axis.
#pragma once

#include "data/store/profile_rows.hpp"

namespace orrery::inject {

/// CLOCK_MONOTONIC in ns: the time axis of a profile.
[[nodiscard]] std::int64_t monotonicNow();

/// CLOCK_MONOTONIC (the profile's own axis), CLOCK_REALTIME, CLOCK_MONOTONIC_RAW and the time-stamp counter, read back
/// to back; the tightest of several tries. `window` is how long the reading took: its uncertainty.
[[nodiscard]] ClockSampleRow sampleClocks(std::int64_t rankId);

}  // namespace orrery::inject
