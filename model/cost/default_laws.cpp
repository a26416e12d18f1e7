#include "model/cost/kernel_law.hpp"

namespace orrery {

// Fractions that tuned libraries reach on large shapes of today's GPUs, from the public tables carried in
// data/published (cuBLAS 0.7 to 0.85 of peak at k > 4096; FlashAttention-2 on A100 0.5 to 0.73 of peak, arXiv
// 2307.08691; elementwise kernels 0.75 to 0.85 of the memory bandwidth). A calibration replaces them.
KernelLaw defaultLaw(OpClass cls, Pass pass, DType dtype, const GpuSpec& gpu) {
    KernelLaw law;
    law.cls = cls;
    law.pass = pass;
    law.dtype = dtype;
    law.overhead = gpu.launchOverhead;
    switch (cls) {
        case OpClass::gemm:
            law.computeEfficiency = 0.78;
            law.halfK = 250.0;
            law.halfMN = 250.0;
            break;
        case OpClass::groupedGemm:
            law.computeEfficiency = 0.62;
            law.halfK = 250.0;
            law.halfMN = 250.0;
            break;
        case OpClass::attention:
            law.computeEfficiency = pass == Pass::forward ? 0.70 : 0.58;
            law.halfMN = 150.0;
            law.halfK = 10.0;
            break;
        default:
            law.bandwidthEfficiency = 0.75;
            law.computeEfficiency = 0.5;
            law.halfBytes = 2_MiB;
            break;
    }
    return law;
}

}  // namespace orrery
