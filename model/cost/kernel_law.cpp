#include "model/cost/kernel_law.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

double saturation(double size, double half) {
    return half > 0.0 ? size / (size + half) : 1.0;
}

double shapeEfficiency(const KernelLaw& law, const Op& op, const GpuSpec& gpu) {
    if (op.cls == OpClass::gemm || op.cls == OpClass::groupedGemm) {
        const auto m = static_cast<double>(op.m);
        const auto n = static_cast<double>(op.n);
        const auto groups = static_cast<double>(op.groups);
        return saturation(static_cast<double>(op.k), law.halfK) * saturation(std::sqrt(m * n * groups), law.halfMN) *
               quantisation(law, m, n, groups, gpu.multiprocessors);
    }
    if (op.cls == OpClass::attention) {
        const double keysPerQuery = op.tokens > 0 ? op.pairs / static_cast<double>(op.tokens) : 0.0;
        return saturation(static_cast<double>(op.headDim), law.halfK) * saturation(keysPerQuery, law.halfMN);
    }
    return 1.0;
}

bool usesMatrixUnits(OpClass cls) {
    return cls == OpClass::gemm || cls == OpClass::groupedGemm || cls == OpClass::attention;
}

}  // namespace

double quantisation(const KernelLaw& law, double m, double n, double groups, int multiprocessors) {
    if (law.tileM <= 0.0 || law.tileN <= 0.0 || m <= 0.0 || n <= 0.0) return 1.0;
    const double tiles = std::ceil(m / law.tileM) * std::ceil(n / law.tileN) * groups;
    const double usefulTiles = m * n * groups / (tiles * law.tileM * law.tileN);
    const double waves = tiles / std::max(1, multiprocessors);
    const double busy = waves / std::ceil(waves);
    return usefulTiles * (1.0 - law.waveShare + law.waveShare * busy);
}

KernelTerms evaluate(const KernelLaw& law, const Op& op, const GpuSpec& gpu) {
    KernelTerms terms;
    terms.overhead = law.overhead;
    if (op.flops.value() > 0.0) {
        const FlopsPerSecond peak =
            usesMatrixUnits(op.cls) || gpu.vectorPeak.value() <= 0.0 ? gpu.peak(op.dtype) : gpu.vectorPeak;
        const double efficiency = law.computeEfficiency * shapeEfficiency(law, op, gpu);
        terms.compute = op.flops / (peak * std::max(efficiency, 1e-6));
    }
    if (op.bytes.value() > 0.0) {
        terms.memory = (op.bytes + law.halfBytes) / (gpu.memoryBandwidth * std::max(law.bandwidthEfficiency, 1e-6));
    }
    return terms;
}

}  // namespace orrery
