#include "model/cost/cost_model.hpp"

#include <algorithm>
#include <utility>

#include "model/cost/collective_costs.hpp"
#include "model/cost/kernel_costs.hpp"

namespace orrery {

CostModel::CostModel(ClusterSpec cluster, Calibration calibration)
    : cluster_(std::move(cluster)),
      calibration_(std::move(calibration)),
      kernels_(std::make_shared<KernelCosts>(cluster_.gpu, calibration_.sourcesFor(cluster_.gpu.name))),
      collectives_(std::make_shared<CollectiveCosts>(cluster_, calibration_)) {}

Estimate CostModel::kernel(const Op& op) const {
    return kernels_->estimate(op);
}

Estimate CostModel::collective(OpClass kind, Bytes bytes, const Group& group) const {
    if (group.size <= 1) return {Seconds{}, 0.0, EstimateSource::dataSheet, 0.0};
    return collectives_->estimate(kind, bytes, group);
}

Estimate CostModel::transfer(Bytes bytes, int distance) const {
    return collectives_->estimate(OpClass::sendRecv, bytes, Group{"pp", 2, std::max(1, distance)});
}

Seconds CostModel::hostGap(int operators) const {
    const DeviceCalibration* device = calibration_.device(cluster_.gpu.name);
    if (device == nullptr) return Seconds{};
    return device->gapPerTask + operators * device->gapPerOperator;
}

}  // namespace orrery
