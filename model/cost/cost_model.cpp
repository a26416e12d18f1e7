#include "model/cost/cost_model.hpp"

#include <algorithm>
#include <utility>

#include "model/cost/collective_costs.hpp"
#include "model/cost/kernel_costs.hpp"

namespace orrery {

CostModel::CostModel(ClusterSpec cluster, Calibration calibration, RuntimeSpec runtime)
    : cluster_(std::move(cluster)),
      calibration_(std::move(calibration)),
      runtime_(std::move(runtime)),
      kernels_(std::make_shared<KernelCosts>(cluster_.gpu, calibration_.sourcesFor(cluster_.gpu.name))),
      collectives_(std::make_shared<CollectiveCosts>(cluster_, calibration_)) {
    validate(runtime_);
}

Estimate CostModel::kernel(const Op& op) const {
    Estimate estimate = kernels_->estimate(op);
    switch (op.cls) {
        case OpClass::norm:
        case OpClass::elementwise:
            estimate.time *= runtime_.elementwiseTraffic;
            break;
        case OpClass::gemm:
        case OpClass::groupedGemm:
            estimate.time /= runtime_.gemmSpeed;
            break;
        case OpClass::attention:
            estimate.time /= runtime_.attentionSpeed;
            break;
        default:
            break;
    }
    return estimate;
}

Estimate CostModel::inTraining(Estimate estimate, const Group& group) const {
    const bool inside = cluster_.links.empty() || group.span() <= cluster_.links.front().size;
    estimate.time = runtime_.collectiveLatency + estimate.time / (inside ? runtime_.linkShare : runtime_.networkShare);
    return estimate;
}

Estimate CostModel::collective(OpClass kind, Bytes bytes, const Group& group) const {
    if (group.size <= 1) return {Seconds{}, 0.0, EstimateSource::dataSheet, 0.0};
    return inTraining(collectives_->estimate(kind, bytes, group), group);
}

Estimate CostModel::transfer(Bytes bytes, int distance) const {
    const Group pair{"pp", 2, std::max(1, distance)};
    return inTraining(collectives_->estimate(OpClass::sendRecv, bytes, pair), pair);
}

Seconds CostModel::hostGap(int operators) const {
    const DeviceCalibration* device = calibration_.device(cluster_.gpu.name);
    const Seconds gaps = operators * runtime_.kernelGap;
    if (device == nullptr) return gaps;
    return gaps + device->gapPerTask + operators * device->gapPerOperator;
}

}  // namespace orrery
