#include "model/cost/collective_forms.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

// Share of the ring's bandwidth that NCCL expects of its trees (src/graph/tuning.cc).
constexpr double kTreeEfficiency = 0.92;
// The same file's share of a link's bandwidth that reductions in Hopper's switches reach.
constexpr double kSwitchEfficiency = 0.85;

/// Bandwidth of the slowest level as one member sees it: members of a unit pool their links to the level above.
BytesPerSecond slowest(const GroupPath& path, const PathRates& rates) {
    BytesPerSecond bandwidth = rates[0].bandwidth;
    for (int i = 0; i < path.count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        bandwidth = std::min(bandwidth, rates[index].bandwidth * path.tiers[index].members);
    }
    return bandwidth;
}

}  // namespace

double busFactor(OpClass kind, int ranks) {
    if (ranks <= 1) return kind == OpClass::sendRecv ? 1.0 : 0.0;
    const double share = static_cast<double>(ranks - 1) / ranks;
    switch (kind) {
        case OpClass::allReduce:
            return 2.0 * share;
        case OpClass::allGather:
        case OpClass::reduceScatter:
        case OpClass::allToAll:
            return share;
        default:
            return 1.0;
    }
}

Seconds ringTime(OpClass kind, Bytes bytes, const GroupPath& path, const PathRates& rates) {
    // One trip around the ring crosses (fanOut - 1) links of each level per unit of that level; an all-reduce makes
    // two.
    double unitsOutside = path.size;
    Seconds hops{};
    for (int i = 0; i < path.count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const double units = unitsOutside / path.tiers[index].fanOut;
        hops += units * (path.tiers[index].fanOut - 1.0) * rates[index].hop;
        unitsOutside = units;
    }
    const double trips = kind == OpClass::allReduce ? 2.0 : 1.0;
    return trips * hops + busFactor(kind, path.size) * bytes / slowest(path, rates);
}

Seconds treeTime(Bytes bytes, const GroupPath& path, const PathRates& rates) {
    Seconds hops{};
    for (int i = 0; i < path.count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const double fanOut = path.tiers[index].fanOut;
        // Inside the innermost level NCCL chains the devices; between units it builds the trees.
        hops += (i == 0 && path.count > 1 ? fanOut - 1.0 : std::log2(fanOut)) * rates[index].hop;
    }
    return 2.0 * hops + 2.0 * bytes / (slowest(path, rates) * kTreeEfficiency);
}

bool reducesInNetwork(const GroupPath& path) {
    return std::any_of(path.tiers.begin(), path.tiers.begin() + path.count,
                       [](const PathTier& tier) { return tier.level->inNetworkReduction; });
}

Seconds levelByLevelTime(Bytes bytes, const GroupPath& path, const PathRates& rates) {
    Seconds hops{};
    Seconds slowestLevel{};
    for (int i = 0; i < path.count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const PathTier& tier = path.tiers[index];
        const double fanOut = tier.fanOut;
        const BytesPerSecond pooled = rates[index].bandwidth * tier.members;
        if (tier.level->inNetworkReduction) {
            hops += 2.0 * rates[index].hop;
            slowestLevel = std::max(slowestLevel, (1.0 + 1.0 / fanOut) * bytes / (pooled * kSwitchEfficiency));
        } else {
            hops += 2.0 * (fanOut - 1.0) * rates[index].hop;
            slowestLevel = std::max(slowestLevel, 2.0 * (fanOut - 1.0) / fanOut * bytes / pooled);
        }
    }
    return hops + slowestLevel;
}

Seconds allToAllTime(Bytes bytes, const GroupPath& path, const PathRates& rates, double outerShare) {
    Seconds slowestLevel{};
    Seconds hops{};
    double inside = 1.0;
    for (int i = 0; i < path.count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const double leaving = (path.size - inside) / path.size;
        const double crossing = path.tiers[index].level == path.innermost ? leaving : leaving * outerShare;
        slowestLevel = std::max(slowestLevel, crossing * bytes / rates[index].bandwidth);
        hops += (path.tiers[index].fanOut - 1.0) * inside * rates[index].hop;
        inside *= path.tiers[index].fanOut;
    }
    return hops + slowestLevel;
}

}  // namespace orrery
