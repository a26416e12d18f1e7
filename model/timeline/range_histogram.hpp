// How long the spans of one name are: counts by duration, for telling "always slow" from "sometimes slow".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery {

struct HistogramBin {
    std::int64_t from = 0, to = 0;  ///< ns, [from, to); the last one includes `to`
    std::int64_t count = 0;
    std::size_t longest = 0;  ///< row of its longest span; meaningless when count is 0
};

/// Which spans a histogram takes: of one lane, of one name where given, with a part in [begin, end).
struct HistogramOf {
    Lane lane = Lane::task;
    std::optional<std::uint32_t> name;
    std::int64_t begin = 0, end = 0;
};

/// At most `bins` bins of equal width on a logarithmic axis from the shortest to the longest; one bin when all are
/// alike, none when there are no spans. Whole durations count, also of spans that reach out of the range.
[[nodiscard]] std::vector<HistogramBin> rangeHistogram(const Timeline& timeline, const HistogramOf& what, int bins);

}  // namespace orrery
