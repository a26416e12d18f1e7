// Where the members of a group sit on the link levels: what bounds a collective's bandwidth and how many hops it makes.
#pragma once

#include <array>

#include "model/cost/group.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// The part of a group that communicates over one link level.
struct PathTier {
    const LinkLevel* level = nullptr;
    double fanOut = 1.0;   ///< units of the level below that this level joins, per unit of this level
    double members = 1.0;  ///< group members inside one unit of the level below: they pool their links to this level
};

/// The levels that a group crosses, inside out; at most kMaxTiers, levels that join one unit only are left out.
struct GroupPath {
    static constexpr int kMaxTiers = 6;
    std::array<PathTier, kMaxTiers> tiers{};
    int count = 0;
    int size = 1;
    const LinkLevel* innermost = nullptr;  ///< of the cluster, whether or not the group crosses it
};

/// \pre group.size >= 1 and stride >= 1. Devices are numbered along the levels (rank order is placement order).
[[nodiscard]] GroupPath pathOf(const Group& group, const ClusterSpec& cluster);

}  // namespace orrery
