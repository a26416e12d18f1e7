// Places a recorded process on the common axis: unix time, from its paired clock samples.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/store/profile_rows.hpp"

namespace orrery::importers {

struct ClockAlignment {
    std::int64_t offset = 0;       ///< ns to add to the profile's times
    std::int64_t uncertainty = 0;  ///< ns: how long taking the samples took, and how far they disagree
};

/// Offset of a rank's clock to unix time: the median over its samples of realtime - profile time. Processes of one host
/// agree to within the uncertainty; across hosts this is as good as the hosts' clocks are. Nothing without samples.
[[nodiscard]] std::optional<ClockAlignment> alignToUnixTime(const std::vector<ClockSampleRow>& samples,
                                                            std::int64_t rankId);

}  // namespace orrery::importers
