#include "model/cost/collective_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "model/cost/collective_law.hpp"

namespace orrery {
namespace {

// What NCCL reaches of the data sheet when nothing was measured: 235 of 300 GB/s on NVLink 3 and 350 of 450 on NVLink 4
// (the tables in data/published), about 0.85 of a network card.
constexpr double kInnerLinkEfficiency = 0.78;
constexpr double kOuterLinkEfficiency = 0.85;
// Enqueue-to-first-byte time of an NCCL kernel, from the small sizes of the same tables.
constexpr Seconds kCollectiveLaunch = Seconds(12e-6);

Estimate corrected(const CollectiveLaw& law, const NeighbourCloud& cloud, int ranks, int nodes, Bytes bytes) {
    Estimate answer{regimeTime(law, ranks, bytes), law.residual, EstimateSource::fitted,
                    std::numeric_limits<double>::infinity()};
    const auto [correction, nearest] = cloud.at(collectivePoint(ranks, nodes, bytes), law.reach);
    answer.time = answer.time * std::exp(correction);
    answer.distance = nearest;
    const double near = law.reach > 0.0 ? neighbourWeight(std::min(1.0, nearest / (2.0 * law.reach))) : 0.0;
    answer.relativeSigma = near * law.interpolationError + (1.0 - near) * law.residual +
                           0.02 * std::max(0.0, nearest - std::max(1.0, law.reach));
    return answer;
}

}  // namespace

CollectiveCosts::CollectiveCosts(const ClusterSpec& cluster, const Calibration& calibration) : cluster_(cluster) {
    for (const CollectiveLaw& law : calibration.collectives) {
        if (law.regimes.empty() || (!law.device.empty() && law.device != cluster.gpu.name)) continue;
        Fitted fitted{law, {}};
        for (const CollectivePoint& p : law.points) {
            fitted.cloud.add(collectivePoint(p.ranks, p.nodes, p.bytes), p.weight);
        }
        laws_.push_back(std::move(fitted));
    }
    std::stable_sort(laws_.begin(), laws_.end(),
                     [](const Fitted& a, const Fitted& b) { return a.law.samples > b.law.samples; });
    // The innermost link's rate for paths that no law covers: what the widest regime of a one-node collective reaches.
    for (const OpClass kind : {OpClass::allGather, OpClass::allReduce}) {
        const Fitted* fitted = find(kind, false);
        if (fitted != nullptr && innerBandwidth_.value() <= 0.0)
            innerBandwidth_ = fitted->law.regimes.back().busBandwidth;
    }
}

const CollectiveCosts::Fitted* CollectiveCosts::find(OpClass kind, bool acrossNodes) const {
    const Fitted* best = nullptr;
    const std::string_view wanted = cluster_.links.empty() ? std::string_view()
                                    : acrossNodes          ? std::string_view(cluster_.links.back().name)
                                                           : std::string_view(cluster_.links.front().name);
    for (const Fitted& fitted : laws_) {
        if (fitted.law.kind != kind || fitted.law.acrossNodes != acrossNodes) continue;
        if (fitted.law.link == wanted) return &fitted;  // the very link, as this catalog calls it
        if (best == nullptr) best = &fitted;
    }
    return best;
}

PathRates CollectiveCosts::ratesFor(const GroupPath& path) const {
    PathRates rates{};
    for (int i = 0; i < path.count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const LinkLevel& level = *path.tiers[index].level;
        const bool innermost = &level == path.innermost;
        rates[index].hop = level.latency;
        rates[index].bandwidth = innermost && innerBandwidth_.value() > 0.0
                                     ? innerBandwidth_
                                     : level.bandwidth * (innermost ? kInnerLinkEfficiency : kOuterLinkEfficiency);
    }
    return rates;
}

Seconds CollectiveCosts::closedForm(OpClass kind, Bytes bytes, const GroupPath& path, double outerShare) const {
    const PathRates rates = ratesFor(path);
    if (kind == OpClass::allToAll) return kCollectiveLaunch + allToAllTime(bytes, path, rates, outerShare);
    const Seconds ring = ringTime(kind, bytes, path, rates);
    if (kind != OpClass::allReduce) return kCollectiveLaunch + ring;
    Seconds fastest = std::min(ring, treeTime(bytes, path, rates));
    if (reducesInNetwork(path)) fastest = std::min(fastest, levelByLevelTime(bytes, path, rates));
    return kCollectiveLaunch + fastest;
}

Estimate CollectiveCosts::estimate(OpClass kind, Bytes bytes, const Group& group) const {
    const GroupPath path = pathOf(group, cluster_);
    const bool acrossNodes = path.count != 1 || path.tiers[0].level != path.innermost;
    const Fitted* fitted = find(kind, acrossNodes);
    if (fitted == nullptr || (acrossNodes && group.stride > 1)) {
        // Measured sweeps over nodes use whole nodes; a strided group has other shares of the network cards.
        return {closedForm(kind, bytes, path, group.outerShare), kDataSheetSigma, EstimateSource::dataSheet,
                std::numeric_limits<double>::infinity()};
    }
    const int nodes = std::max(1, path.size / std::max(1, cluster_.gpusPerNode));
    return corrected(fitted->law, fitted->cloud, group.size, acrossNodes ? nodes : 1,
                     acrossNodes ? bytes * group.outerShare : bytes);
}

}  // namespace orrery
