#include "importers/kineto/nested_ranges.hpp"

#include <algorithm>

namespace orrery::importers {

void NestedRanges::write(ProfileWriter& out) {
    for (auto& [thread, rows] : rows_) {
        std::stable_sort(rows.begin(), rows.end(), [](const RangeRow& a, const RangeRow& b) {
            if (a.start != b.start) return a.start < b.start;
            return a.duration.value_or(0) > b.duration.value_or(0);
        });
        std::vector<std::int64_t> openEnds;
        for (auto& row : rows) {
            while (!openEnds.empty() && openEnds.back() <= row.start) openEnds.pop_back();
            row.depth = static_cast<int>(std::min<std::size_t>(openEnds.size(), 1'000'000));
            if (row.duration && *row.duration > 0) openEnds.push_back(row.start + *row.duration);
            out.addRange(row);
        }
        rows = {};
    }
}

}  // namespace orrery::importers
