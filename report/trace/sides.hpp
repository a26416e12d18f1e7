// In a file with a predicted and a measured timeline every span says what the other side made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/trace/write_timeline.hpp"

namespace orrery {

/// Arguments of a span that has a counterpart.
struct BothSides {
    std::int64_t predicted = 0, measured = 0;  ///< ns

    /// 100 (predicted - measured) / measured; nothing when nothing was measured.
    [[nodiscard]] std::optional<double> errorPercent() const {
        if (measured == 0) return std::nullopt;
        return 100.0 * static_cast<double>(predicted - measured) / static_cast<double>(measured);
    }
};

/// For each timeline and row: both durations. All empty unless there is exactly one "predicted" and one "measured".
[[nodiscard]] std::vector<std::vector<std::optional<BothSides>>> bothSides(const std::vector<NamedTimeline>& timelines);

}  // namespace orrery
