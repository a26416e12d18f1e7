#include "model/cost/kernel_law.hpp"

#include <algorithm>
#include <cmath>

#include "model/cost/gemm_tiling.hpp"

namespace orrery {
namespace {

constexpr double kLowestEfficiency = 1e-6;

double saturation(double size, double half) {
    return half > 0.0 ? size / (size + half) : 1.0;
}

/// Short kernels end before the power controller lowers the clock; long ones run at what the power limit allows.
double clockShare(const KernelLaw& law, Flops work) {
    if (law.burstWork.value() <= 0.0) return 1.0;
    return law.sustainedShare + (1.0 - law.sustainedShare) / (1.0 + work / law.burstWork);
}

bool usesMatrixUnits(OpClass cls) {
    return cls == OpClass::gemm || cls == OpClass::groupedGemm || cls == OpClass::attention;
}

double shapeEfficiency(const KernelLaw& law, const Op& op) {
    if (op.cls == OpClass::attention) {
        const double keysPerQuery = op.tokens > 0 ? op.pairs / static_cast<double>(op.tokens) : 0.0;
        return saturation(static_cast<double>(op.headDim), law.halfK) * saturation(keysPerQuery, law.halfMN);
    }
    if (usesMatrixUnits(op.cls)) {
        const double output = static_cast<double>(op.m) * static_cast<double>(op.n) * static_cast<double>(op.groups);
        return saturation(static_cast<double>(op.k), law.halfK) * saturation(std::sqrt(output), law.halfMN);
    }
    return 1.0;
}

}  // namespace

DevicePeaks peaksFor(OpClass cls, DType dtype, const GpuSpec& gpu) {
    DevicePeaks peaks;
    peaks.compute = usesMatrixUnits(cls) || gpu.vectorPeak.value() <= 0.0 ? gpu.peak(dtype) : gpu.vectorPeak;
    peaks.bandwidth = gpu.memoryBandwidth;
    peaks.multiprocessors = std::max(1, gpu.multiprocessors);
    return peaks;
}

KernelTerms evaluate(const KernelLaw& law, const Op& op, const DevicePeaks& peaks) {
    KernelTerms terms;
    terms.overhead = law.overhead;
    if (op.flops.value() > 0.0) {
        const bool tiled = law.halfTile > 0.0 && (op.cls == OpClass::gemm || op.cls == OpClass::groupedGemm);
        const double efficiency = std::max(law.computeEfficiency * shapeEfficiency(law, op), kLowestEfficiency);
        const Seconds atBurstClock = tiled ? tiledGemmTime(law, op, peaks) : op.flops / (peaks.compute * efficiency);
        terms.compute = atBurstClock / clockShare(law, op.flops);
    }
    if (op.bytes.value() > 0.0) {
        terms.memory =
            (op.bytes + law.halfBytes) / (peaks.bandwidth * std::max(law.bandwidthEfficiency, kLowestEfficiency));
    }
    return terms;
}

}  // namespace orrery
