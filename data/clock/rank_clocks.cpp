#include "data/clock/rank_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orrery {
namespace {

constexpr int kMostRounds = 200;
constexpr double kStill = 1.0;               ///< ns: a round that moves no clock further ends the search
constexpr std::size_t kMostEnds = 4000;      ///< of one clock; more add time and no certainty
constexpr double kNormalDeviation = 1.4826;  ///< standard deviation of a normal law over its median absolute deviation

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 != 0) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

/// Union of clocks that share a collective.
class Groups {
  public:
    explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
    std::size_t find(std::size_t clock) {
        while (parent_[clock] != clock) clock = parent_[clock] = parent_[parent_[clock]];
        return clock;
    }
    /// The lowest clock stays the root.
    void join(std::size_t a, std::size_t b) {
        a = find(a);
        b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

  private:
    std::vector<std::size_t> parent_;
};

struct End {
    std::size_t collective = 0, clock = 0;
    double time = 0.0;  ///< ns after the first of all
};

/// Ends of collectives that more than one clock took part in, numbered from 0, at most kMostEnds a clock.
std::vector<End> shared(std::span<const CollectiveEnd> ends, std::size_t clocks, std::size_t& collectives) {
    std::vector<CollectiveEnd> sorted(ends.begin(), ends.end());
    std::sort(sorted.begin(), sorted.end(), [](const CollectiveEnd& a, const CollectiveEnd& b) {
        return a.collective != b.collective ? a.collective < b.collective : a.clock < b.clock;
    });
    std::vector<End> out;
    std::vector<std::size_t> taken(clocks, 0);
    const std::int64_t origin = sorted.empty() ? 0 : sorted.front().end;
    collectives = 0;
    for (auto from = sorted.begin(); from != sorted.end();) {
        const auto to = std::find_if(from, sorted.end(),
                                     [&](const CollectiveEnd& end) { return end.collective != from->collective; });
        const bool wanted =
            std::any_of(from, to, [&](const CollectiveEnd& end) { return taken[end.clock] < kMostEnds; });
        if (from->clock != std::prev(to)->clock && wanted) {
            for (auto end = from; end != to; ++end) {
                ++taken[end->clock];
                out.push_back({collectives, end->clock, static_cast<double>(end->end - origin)});
            }
            ++collectives;
        }
        from = to;
    }
    return out;
}

}  // namespace

std::vector<std::optional<ClockEstimate>> estimateClocks(std::span<const CollectiveEnd> all, std::size_t clocks) {
    std::size_t collectives = 0;
    const std::vector<End> ends = shared(all, clocks, collectives);
    std::vector<double> correction(clocks, 0.0);
    Groups groups(clocks);
    std::vector<std::vector<double>> residuals(clocks);
    std::vector<double> values;
    for (int round = 0; round < kMostRounds; ++round) {
        for (auto& list : residuals) list.clear();
        for (auto from = ends.begin(); from != ends.end();) {  // ends of one collective stand together
            const auto to =
                std::find_if(from, ends.end(), [&](const End& end) { return end.collective != from->collective; });
            values.clear();
            for (auto end = from; end != to; ++end) values.push_back(end->time + correction[end->clock]);
            const double middle = median(values);
            for (auto end = from; end != to; ++end) {
                residuals[end->clock].push_back(end->time + correction[end->clock] - middle);
                groups.join(from->clock, end->clock);
            }
            from = to;
        }
        double moved = 0.0;
        for (std::size_t clock = 0; clock < clocks; ++clock) {
            if (residuals[clock].empty()) continue;
            const double step = median(residuals[clock]);
            correction[clock] -= step;
            moved = std::max(moved, std::abs(step));
        }
        if (moved < kStill) break;
    }
    std::vector<double> spread(clocks, 0.0);
    for (std::size_t clock = 0; clock < clocks; ++clock) {
        for (double& residual : residuals[clock]) residual = std::abs(residual);
        if (!residuals[clock].empty()) spread[clock] = kNormalDeviation * median(residuals[clock]);
    }
    std::vector<std::optional<ClockEstimate>> out(clocks);
    for (std::size_t clock = 0; clock < clocks; ++clock) {
        const auto count = static_cast<std::int64_t>(residuals[clock].size());
        if (count < kFewestCollectives) continue;
        const std::size_t reference = groups.find(clock);
        ClockEstimate estimate;
        estimate.correction = std::llround(correction[clock] - correction[reference]);
        estimate.uncertainty = std::llround(std::ceil(std::hypot(spread[clock], spread[reference])));
        estimate.collectives = count;
        out[clock] = estimate;
    }
    return out;
}

}  // namespace orrery
