#include "model/timeline/range_histogram.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

std::vector<HistogramBin> rangeHistogram(const Timeline& timeline, const HistogramOf& what, int bins) {
    std::vector<std::size_t> rows;
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        if (timeline.tracks[span.track].lane != what.lane || (what.name && span.name != *what.name)) continue;
        const bool instant = span.duration == 0 && span.start >= what.begin && span.start < what.end;
        if (!instant && std::min(span.end(), what.end) <= std::max(span.start, what.begin)) continue;
        least = rows.empty() ? span.duration : std::min(least, span.duration);
        most = rows.empty() ? span.duration : std::max(most, span.duration);
        rows.push_back(row);
    }
    if (rows.empty()) return {};
    const double low = std::log(static_cast<double>(std::max<std::int64_t>(1, least)));
    const double high = std::log(static_cast<double>(std::max<std::int64_t>(1, most)));
    const auto count = static_cast<std::size_t>(high > low ? std::max(1, bins) : 1);
    const double width = (high - low) / static_cast<double>(count);
    std::vector<HistogramBin> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        out[i].from = std::llround(std::exp(low + width * static_cast<double>(i)));
        out[i].to = std::llround(std::exp(low + width * static_cast<double>(i + 1)));
    }
    out.front().from = least;
    out.back().to = most;
    for (const std::size_t row : rows) {
        const auto duration = timeline.span(row).duration;
        const double place = std::log(static_cast<double>(std::max<std::int64_t>(1, duration)));
        const auto index = width > 0.0 ? static_cast<std::size_t>(std::max(0.0, (place - low) / width)) : 0;
        HistogramBin& bin = out[std::min(index, count - 1)];
        if (bin.count == 0 || duration > timeline.span(bin.longest).duration) bin.longest = row;
        ++bin.count;
    }
    return out;
}

}  // namespace orrery
