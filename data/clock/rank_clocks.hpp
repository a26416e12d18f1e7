// Offsets between the clocks of ranks, from collectives that all ranks leave at nearly the same moment. No file is
// read: ends in, corrections out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace orrery {

/// When one participant left a collective. Equal `collective` numbers are the same collective.
struct CollectiveEnd {
    std::uint64_t collective = 0;
    std::size_t clock = 0;  ///< by which clock; participants of one host share one
    std::int64_t end = 0;   ///< ns
};

struct ClockEstimate {
    std::int64_t correction = 0;   ///< ns to add to this clock's times
    std::int64_t uncertainty = 0;  ///< ns, one standard deviation of a single collective around the estimate
    std::int64_t collectives = 0;  ///< that it rests on
};

/// Fewer collectives than this say nothing about a clock.
inline constexpr std::int64_t kFewestCollectives = 8;

/// Corrections that make the ends of each collective agree: medians alternately of collectives (over clocks) and of
/// clocks (over collectives), until they stand still; a late rank or a stray collective does not move a median. The
/// spread is 1.4826 times the median absolute deviation. It includes what collectives really differ by between ranks,
/// so no skew between ranks below it means anything. The lowest clock of each connected group is the reference (0).
/// Nothing for clocks with fewer than kFewestCollectives shared collectives.
[[nodiscard]] std::vector<std::optional<ClockEstimate>> estimateClocks(std::span<const CollectiveEnd> ends,
                                                                       std::size_t clocks);

}  // namespace orrery
