#include "importers/orrery_profile/clock_alignment.hpp"

#include <algorithm>

namespace orrery::importers {

std::optional<ClockAlignment> alignToUnixTime(const std::vector<ClockSampleRow>& samples, std::int64_t rankId) {
    std::vector<std::int64_t> offsets;
    std::int64_t tightest = 0;
    for (const auto& sample : samples) {
        if (sample.rankId != rankId) continue;
        offsets.push_back(sample.realtime - sample.profile);
        tightest = offsets.size() == 1 ? sample.window : std::min(tightest, sample.window);
    }
    if (offsets.empty()) return std::nullopt;
    std::sort(offsets.begin(), offsets.end());
    const std::int64_t median = offsets[offsets.size() / 2];
    // Half the spread shows a clock that was stepped or slewed during the record.
    const std::int64_t spread = (offsets.back() - offsets.front()) / 2;
    return ClockAlignment{median, std::max(tightest, spread)};
}

}  // namespace orrery::importers
