#include "model/timeline/role_bands.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace orrery {
namespace {

/// Step, phase, micro-batch, name, and the how-manieth of these on its rank.
using TaskKey = std::tuple<std::int32_t, Phase, std::int32_t, std::uint32_t, int>;

}  // namespace

std::vector<RoleBand> roleBands(const Timeline& timeline) {
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        if (timeline.tracks[timeline.span(row).track].lane == Lane::task)
            rows.push_back(static_cast<std::uint32_t>(row));
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return timeline.span(a).start < timeline.span(b).start; });
    std::map<int, std::map<TaskKey, BandSpan>> roles;
    std::map<int, std::set<int>> ranks;
    std::map<std::pair<int, TaskKey>, int> occurrences;  // by rank
    for (const std::uint32_t row : rows) {
        const Span span = timeline.span(row);
        const Track& track = timeline.tracks[span.track];
        TaskKey key{span.step, span.phase, span.microBatch, span.name, 0};
        std::get<4>(key) = occurrences[{track.rank, key}]++;
        ranks[track.stage].insert(track.rank);
        const auto [found, isNew] = roles[track.stage].try_emplace(
            key, BandSpan{span.start, span.start, span.end(), span.end(), span.phase, span.cls, row, 0});
        BandSpan& band = found->second;
        ++band.ranks;
        if (isNew) continue;
        band.lastStart = std::max(band.lastStart, span.start);
        band.firstEnd = std::min(band.firstEnd, span.end());
        band.lastEnd = std::max(band.lastEnd, span.end());
        if (span.duration > timeline.span(band.slowest).duration) band.slowest = row;
    }
    std::vector<RoleBand> out;
    for (auto& [stage, tasks] : roles) {
        RoleBand band{stage, {ranks[stage].begin(), ranks[stage].end()}, {}};
        for (const auto& [key, span] : tasks) band.spans.push_back(span);
        std::stable_sort(band.spans.begin(), band.spans.end(),
                         [](const BandSpan& a, const BandSpan& b) { return a.firstStart < b.firstStart; });
        out.push_back(std::move(band));
    }
    return out;
}

}  // namespace orrery
