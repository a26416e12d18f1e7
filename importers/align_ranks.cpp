#include "importers/align_ranks.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "data/clock/rank_clocks.hpp"

namespace orrery::importers {
namespace {

/// Hosts may share a name (containers): then their clocks, which count from when they were started, differ by more.
constexpr std::int64_t kSameClock = 10'000'000;

struct HostClock {
    std::string host;
    std::int64_t offset = 0;
};

std::size_t clockOf(const RankRow& rank, std::vector<HostClock>& clocks) {
    for (std::size_t i = 0; i < clocks.size(); ++i) {
        if (clocks[i].host == rank.host && std::abs(clocks[i].offset - rank.clockOffset) < kSameClock) return i;
    }
    clocks.push_back({rank.host, rank.clockOffset});
    return clocks.size() - 1;
}

}  // namespace

void alignRanks(const ImportSummary& summary, ProfileWriter& out) {
    std::vector<HostClock> clocks;
    std::vector<CollectiveEnd> ends;
    std::vector<std::pair<const RankClock*, std::size_t>> ranks;
    for (const auto& file : summary.files) {
        for (const auto& rank : file.result.clocks) {
            ranks.emplace_back(&rank, clockOf(rank.row, clocks));
            for (const auto& [collective, end] : rank.collectiveEnds) {
                ends.push_back({collective, ranks.back().second, end + rank.row.clockOffset});
            }
        }
    }
    if (clocks.size() < 2) return;
    const auto estimates = estimateClocks(ends, clocks.size());
    for (const auto& [rank, clock] : ranks) {
        const auto& estimate = estimates[clock];
        if (!estimate) {
            out.addMetadata(rank->rankId, "clock",
                            "unix time; too few collectives shared with other hosts to check it");
            continue;
        }
        RankRow row = rank->row;
        row.clockOffset += estimate->correction;
        row.clockUncertainty = estimate->uncertainty;
        out.updateRank(rank->rankId, row);
        out.addMetadata(rank->rankId, "clock",
                        fmt::format("ends of {} collectives; unix time corrected by {:.3f} us", estimate->collectives,
                                    static_cast<double>(estimate->correction) * 1e-3));
    }
}

}  // namespace orrery::importers
