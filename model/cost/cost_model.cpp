#include "model/cost/cost_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/cost/collective_forms.hpp"
#include "model/cost/kernel_law.hpp"

namespace orrery {
namespace {

// What NCCL usually reaches of the data sheet without a calibration: 240 of 300 GB/s on NVLink 3 (vTrain's table),
// 360 of 450 on NVLink 4; about 0.9 of a network card.
constexpr double kInnerLinkEfficiency = 0.8;
constexpr double kOuterLinkEfficiency = 0.9;
constexpr Seconds kCollectiveLaunch = Seconds(8e-6);
constexpr double kDataSheetSigma = 0.25;

PathRates dataSheetRates(const GroupPath& path) {
    PathRates rates{};
    for (int i = 0; i < path.count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const LinkLevel& level = *path.tiers[index].level;
        rates[index] = {level.bandwidth *
                            (i == 0 && path.tiers[index].members == 1.0 ? kInnerLinkEfficiency : kOuterLinkEfficiency),
                        level.latency};
    }
    return rates;
}

}  // namespace

CostModel::CostModel(ClusterSpec cluster, Calibration calibration)
    : cluster_(std::move(cluster)), calibration_(std::move(calibration)) {}

Estimate CostModel::kernel(const Op& op) const {
    const KernelLaw law = defaultLaw(op.cls, op.pass, op.dtype, cluster_.gpu);
    return {evaluate(law, op, cluster_.gpu).total(), kDataSheetSigma, EstimateSource::dataSheet,
            std::numeric_limits<double>::infinity()};
}

Estimate CostModel::collective(OpClass kind, Bytes bytes, const Group& group) const {
    if (group.size <= 1) return {Seconds{}, 0.0, EstimateSource::dataSheet, 0.0};
    const GroupPath path = pathOf(group, cluster_);
    const PathRates rates = dataSheetRates(path);
    Seconds time = kind == OpClass::allToAll ? allToAllTime(bytes, path, rates) : ringTime(kind, bytes, path, rates);
    if (kind == OpClass::allReduce) time = std::min(time, treeTime(bytes, path, rates));
    return {kCollectiveLaunch + time, kDataSheetSigma, EstimateSource::dataSheet,
            std::numeric_limits<double>::infinity()};
}

Estimate CostModel::transfer(Bytes bytes, int distance) const {
    const Group pair{"pp", 2, std::max(1, distance)};
    return collective(OpClass::sendRecv, bytes, pair);
}

Seconds CostModel::hostGap(int operators) const {
    const DeviceCalibration* device = calibration_.device(cluster_.gpu.name);
    if (device == nullptr) return Seconds{};
    return device->gapPerTask + operators * device->gapPerOperator;
}

}  // namespace orrery
