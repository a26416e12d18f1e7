#include "model/cost/kernel_law.hpp"

namespace orrery {
namespace {
constexpr int kManyMultiprocessors = 16;  // below it a device is a CPU process, whose GEMM has no waves of tiles
}

// What tuned libraries reach on large shapes of today's GPUs, read off the public tables in data/published: cuBLAS 0.7
// to 0.85 of peak at k > 4096; FlashAttention-2 on A100 0.5 to 0.73 (arXiv 2307.08691, section 4.1); elementwise
// kernels 0.75 to 0.9 of the memory bandwidth. These are also the priors of a fit, see model/calibrate.
KernelLaw defaultLaw(OpClass cls, Pass pass, DType dtype, const GpuSpec& gpu) {
    KernelLaw law;
    law.cls = cls;
    law.pass = pass;
    law.dtype = dtype;
    law.overhead = gpu.launchOverhead;
    const bool tiled = gpu.multiprocessors >= kManyMultiprocessors;
    switch (cls) {
        case OpClass::gemm:
        case OpClass::groupedGemm:
            law.computeEfficiency = cls == OpClass::gemm ? 0.9 : 0.75;
            law.bandwidthEfficiency = 0.85;
            if (tiled) {
                law.sustainedShare = 0.95;
                law.burstWork = Flops(1e12);
                law.halfTile = 12.0;
                law.waveOverhead = 0.6_us;
                law.waveShare = 0.5;
            } else {
                law.halfK = 16.0;
                law.halfMN = 16.0;
            }
            break;
        case OpClass::attention:
            law.computeEfficiency = pass == Pass::forward ? 0.75 : 0.62;
            law.halfMN = tiled ? 200.0 : 16.0;
            law.halfK = 10.0;
            law.bandwidthEfficiency = 0.85;
            break;
        default:
            law.bandwidthEfficiency = 0.8;
            law.computeEfficiency = 0.5;
            law.halfBytes = tiled ? 2_MiB : 0_B;
            break;
    }
    return law;
}

}  // namespace orrery
