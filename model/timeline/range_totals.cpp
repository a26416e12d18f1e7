#include "model/timeline/range_totals.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace orrery {

std::vector<RangeTotal> rangeTotals(const Timeline& timeline, std::int64_t begin, std::int64_t end) {
    std::unordered_map<std::uint64_t, RangeTotal> byName;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const std::int64_t part = std::min(span.end(), end) - std::max(span.start, begin);
        const bool instant = span.duration == 0 && span.start >= begin && span.start < end;
        if (part <= 0 && !instant) continue;
        const Lane lane = timeline.tracks[span.track].lane;
        const auto key = (std::uint64_t{span.name} << 8U) | static_cast<std::uint64_t>(lane);
        const auto [found, isNew] = byName.try_emplace(key, RangeTotal{lane, span.name, 0, 0, part, part});
        RangeTotal& total = found->second;
        ++total.count;
        total.total += part;
        total.least = std::min(total.least, part);
        total.most = std::max(total.most, part);
    }
    std::vector<RangeTotal> out;
    out.reserve(byName.size());
    for (const auto& [key, total] : byName) out.push_back(total);
    std::sort(out.begin(), out.end(), [](const RangeTotal& a, const RangeTotal& b) {
        return std::tuple(-a.total, a.lane, a.name) < std::tuple(-b.total, b.lane, b.name);
    });
    return out;
}

}  // namespace orrery
