#include "model/cost/kernel_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

constexpr double kMeasuredSigma = 0.02;  // repeat-to-repeat spread of a median, when the source states none

/// Laws to try when the exact family has none: a pass stands in for another, a format for one of the same width.
std::array<Pass, 3> passesToTry(Pass pass) {
    switch (pass) {
        case Pass::backwardInput:
            return {Pass::backwardInput, Pass::backwardWeight, Pass::forward};
        case Pass::backwardWeight:
            return {Pass::backwardWeight, Pass::backwardInput, Pass::forward};
        default:
            return {pass, Pass::forward, Pass::backwardInput};
    }
}

DType sameWidth(DType dtype) {
    switch (dtype) {
        case DType::fp16:
            return DType::bf16;
        case DType::bf16:
            return DType::fp16;
        case DType::tf32:
            return DType::fp32;
        default:
            return dtype;
    }
}

}  // namespace

std::uint64_t lawKey(OpClass cls, Pass pass, DType dtype, std::string_view opName) {
    const auto u = [](auto v) { return static_cast<std::uint64_t>(v); };
    return mix(u(cls) << 16 | u(pass) << 8 | u(dtype), nameHash(opName));
}

KernelCosts::KernelCosts(const GpuSpec& gpu, const std::vector<const DeviceCalibration*>& calibrations) : gpu_(gpu) {
    for (const DeviceCalibration* calibration : calibrations) add(*calibration);
}

void KernelCosts::add(const DeviceCalibration& calibration) {
    const std::size_t first = laws_.size();
    std::unordered_map<std::uint64_t, std::size_t> mine;
    for (const KernelLaw& law : calibration.laws) {
        if (lawOf_.contains(lawKey(law.cls, law.pass, law.dtype, ""))) continue;  // known from a closer source
        mine.emplace(lawKey(law.cls, law.pass, law.dtype, law.opName), laws_.size());
        laws_.push_back({law, peaksFor(law.cls, law.dtype, gpu_), {}});
    }
    // Where only named operators or implementations were measured, the one with most samples stands for the class.
    for (std::size_t i = first; i < laws_.size(); ++i) {
        const KernelLaw& law = laws_[i].law;
        const auto [known, isNew] = mine.emplace(lawKey(law.cls, law.pass, law.dtype, ""), i);
        const KernelLaw& current = laws_[known->second].law;
        if (!isNew && !current.opName.empty() && current.samples < law.samples) known->second = i;
    }
    lawOf_.insert(mine.begin(), mine.end());
    const bool ownTimes = calibration.device == gpu_.name;  // a stand-in lends its laws, not its times
    for (const KernelTableEntry& entry : calibration.table) {
        const auto law = mine.find(lawKey(entry.op.cls, entry.op.pass, entry.op.dtype, entry.opName));
        if (law == mine.end()) continue;
        if (ownTimes) measured_.emplace(mix(shapeHash(entry.op), law->second), entry.time);
        laws_[law->second].cloud.add(shapePoint(entry.op), entry.weight);
    }
}

int KernelCosts::find(const Op& op) const {
    const std::array<std::string_view, 2> names{op.name, std::string_view()};
    for (const DType dtype : {op.dtype, sameWidth(op.dtype)}) {
        for (const std::string_view wanted : names) {
            for (const Pass pass : passesToTry(op.pass)) {
                const auto found = lawOf_.find(lawKey(op.cls, pass, dtype, wanted));
                if (found != lawOf_.end()) return static_cast<int>(found->second);
            }
        }
    }
    if (op.cls != OpClass::groupedGemm) return -1;
    // One kernel of many multiplications fills the device as one of as many tiles does.
    Op single = op;
    single.cls = OpClass::gemm;
    return find(single);
}

Estimate KernelCosts::fitted(const FittedLaw& fit, const Op& op) {
    Estimate answer{evaluate(fit.law, op, fit.peaks).total(), fit.law.residual, EstimateSource::fitted,
                    std::numeric_limits<double>::infinity()};
    if (fit.cloud.empty()) return answer;
    const auto [correction, nearest] = fit.cloud.at(shapePoint(op), fit.law.reach);
    answer.distance = nearest;
    answer.time = answer.time * std::exp(correction);
    // Between samples the error is that of interpolation; beyond their reach it is that of the law, growing with the
    // distance since nothing measured supports the extrapolation.
    const double near = fit.law.reach > 0.0 ? neighbourWeight(std::min(1.0, nearest / (2.0 * fit.law.reach))) : 0.0;
    answer.relativeSigma = near * fit.law.interpolationError + (1.0 - near) * fit.law.residual +
                           0.02 * std::max(0.0, nearest - std::max(1.0, fit.law.reach));
    return answer;
}

Estimate KernelCosts::estimate(const Op& op) const {
    if (op.flops.value() <= 0.0 && op.bytes.value() <= 0.0) return {Seconds{}, 0.0, EstimateSource::dataSheet, 0.0};
    if (const int index = find(op); index >= 0) {
        const auto found = measured_.find(mix(shapeHash(op), static_cast<std::uint64_t>(index)));
        const FittedLaw& law = laws_[static_cast<std::size_t>(index)];
        Estimate answer = found != measured_.end()
                              ? Estimate{found->second, kMeasuredSigma, EstimateSource::measured, 0.0}
                              : fitted(law, op);
        // Kernels timed one by one run at a clock that a step full of them does not hold.
        const auto sustained = gpu_.sustained.find(op.dtype);
        const double share = op.cls != OpClass::attention && sustained != gpu_.sustained.end() ? sustained->second
                                                                                               : law.law.trainingClock;
        if (share != 1.0) {
            const KernelTerms terms = evaluate(law.law, op, law.peaks);
            if (terms.compute > terms.memory) answer.time = answer.time / share;
        }
        return answer;
    }
    const KernelLaw law = defaultLaw(op.cls, op.pass, op.dtype, gpu_);
    return {evaluate(law, op, peaksFor(op.cls, op.dtype, gpu_)).total(), kDataSheetSigma, EstimateSource::dataSheet,
            std::numeric_limits<double>::infinity()};
}

}  // namespace orrery
