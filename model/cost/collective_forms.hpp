// Closed forms of collectives over a path of link levels: ring, tree and all-to-all. Sizes follow nccl-tests: the full
// buffer. Which form a library picks, and measured points, are collective_costs' business.
#pragma once

#include <array>

#include "model/cost/group_path.hpp"
#include "model/ops/op.hpp"

namespace orrery {

/// What the links of a path reach in practice.
struct TierRate {
    BytesPerSecond bandwidth{};  ///< per device and direction
    Seconds hop{};               ///< one step of a ring or tree over this level
};
using PathRates = std::array<TierRate, GroupPath::kMaxTiers>;

/// Bus factor of nccl-tests (doc/PERFORMANCE.md): bytes that each link carries per byte of the full buffer.
/// all-reduce 2(n-1)/n; all-gather, reduce-scatter and all-to-all (n-1)/n; broadcast and send/receive 1.
[[nodiscard]] double busFactor(OpClass kind, int ranks);

/// Ring: the slowest level bounds the rate; a chunk passes every hop in turn (NCCL src/graph/tuning.cc counts
/// intra-node and network hops apart in the same way). \pre path.size >= 2
[[nodiscard]] Seconds ringTime(OpClass kind, Bytes bytes, const GroupPath& path, const PathRates& rates);

/// Double binary tree between nodes, chain inside (Sanders et al. 2009; NCCL 2.4): nearly full bandwidth, 2 log2 hops.
/// Only all-reduce has one.
[[nodiscard]] Seconds treeTime(Bytes bytes, const GroupPath& path, const PathRates& rates);

/// Level by level, all levels at once: reduce-scatter inside, all-reduce of the shares above, all-gather inside. A
/// level whose switches reduce (NVLink SHARP, InfiniBand SHARP) takes each buffer once and gives the sum back once: of
/// S bytes a member sends S + S/n, its own reduced part included, in two hops. The others run rings of their own.
/// All-reduce.
[[nodiscard]] Seconds levelByLevelTime(Bytes bytes, const GroupPath& path, const PathRates& rates);

/// Whether a switch on the path reduces.
[[nodiscard]] bool reducesInNetwork(const GroupPath& path);

/// All-to-all by pairwise exchange: each level carries the part of every member's buffer that leaves its unit, all
/// levels at once, so that the slowest bounds the time.
[[nodiscard]] Seconds allToAllTime(Bytes bytes, const GroupPath& path, const PathRates& rates, double outerShare = 1.0);

}  // namespace orrery
