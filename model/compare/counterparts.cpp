#include "model/compare/counterparts.hpp"

#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace orrery {
namespace {

/// rank, lane, phase, class, step's position, micro-batch, name, how often this came before
using Key = std::tuple<int, Lane, Phase, OpClass, std::size_t, std::int32_t, std::string_view, std::size_t>;

/// Key of each row; rows without a counterpart have none.
std::vector<std::optional<Key>> keysOf(const Timeline& timeline) {
    std::set<std::int32_t> steps;
    for (std::size_t row = 0; row < timeline.size(); ++row) steps.insert(timeline.span(row).step);
    std::map<std::int32_t, std::size_t> positionOf;
    for (const auto step : steps) positionOf.emplace(step, positionOf.size());

    std::map<Key, std::size_t> seen;
    std::vector<std::optional<Key>> keys(timeline.size());
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const Track& track = timeline.tracks[span.track];
        if (span.phase == Phase::wait || track.lane == Lane::step) continue;
        const bool isTask = track.lane == Lane::task;
        Key key{track.rank,
                track.lane,
                span.phase,
                isTask ? OpClass::other : span.cls,
                positionOf[span.step],
                span.microBatch,
                isTask ? std::string_view{} : timeline.names.text(span.name),
                0};
        std::get<7>(key) = seen[key]++;
        keys[row] = key;
    }
    return keys;
}

}  // namespace

std::vector<std::optional<std::size_t>> counterparts(const Timeline& of, const Timeline& in) {
    std::map<Key, std::size_t> rowOf;
    const auto there = keysOf(in);
    for (std::size_t row = 0; row < there.size(); ++row) {
        if (there[row]) rowOf.emplace(*there[row], row);
    }
    std::vector<std::optional<std::size_t>> out;
    for (const auto& key : keysOf(of)) {
        const auto found = key ? rowOf.find(*key) : rowOf.end();
        out.push_back(found == rowOf.end() ? std::nullopt : std::optional(found->second));
    }
    return out;
}

std::optional<std::size_t> counterpartOf(const Timeline& of, std::size_t row, const Timeline& in, int step) {
    const Span wanted = of.span(row);
    const Track& track = of.tracks[wanted.track];
    if (wanted.phase == Phase::wait || track.lane == Lane::step) return std::nullopt;
    const bool isTask = track.lane == Lane::task;
    const auto same = [&](const Timeline& timeline, const Span& span, int inStep) {
        const Track& other = timeline.tracks[span.track];
        if (span.phase != wanted.phase || span.microBatch != wanted.microBatch || other.rank != track.rank ||
            other.lane != track.lane || (inStep >= 0 && span.step >= 0 && span.step != inStep)) {
            return false;
        }
        return isTask || (span.cls == wanted.cls && timeline.names.text(span.name) == of.names.text(wanted.name));
    };
    std::size_t before = 0;
    for (std::size_t earlier = 0; earlier < row; ++earlier) before += same(of, of.span(earlier), wanted.step) ? 1 : 0;
    for (std::size_t other = 0; other < in.size(); ++other) {
        if (same(in, in.span(other), step) && before-- == 0) return other;
    }
    return std::nullopt;
}

}  // namespace orrery
