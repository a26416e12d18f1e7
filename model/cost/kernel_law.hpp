// The formula of one kernel family: from shape and law to seconds. No tables, no lookup; those are kernel_costs.
#pragma once

#include "model/calibrate/calibration.hpp"
#include "model/ops/op.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// The two bounds of a kernel and its fixed part; the time is overhead + max(compute, memory).
struct KernelTerms {
    Seconds compute{}, memory{}, overhead{};
    [[nodiscard]] Seconds total() const { return overhead + (compute > memory ? compute : memory); }
};

/// What the law needs of the device, looked up once (GpuSpec::peak searches a map).
struct DevicePeaks {
    FlopsPerSecond compute{};  ///< matrix units in the operator's format, or the vector units
    BytesPerSecond bandwidth{};
    double multiprocessors = 1.0;
};
[[nodiscard]] DevicePeaks peaksFor(OpClass cls, DType dtype, const GpuSpec& gpu);

/// Evaluates `law` for `op`: a roofline (Williams et al. 2009, doi 10.1145/1498765.1498785) bent by saturation; GEMMs
/// on devices with many multiprocessors by the best of a few tilings, see gemm_tiling.hpp.
[[nodiscard]] KernelTerms evaluate(const KernelLaw& law, const Op& op, const DevicePeaks& peaks);

/// The law used when nothing was measured: fractions of the data sheet that large kernels of the class usually reach.
[[nodiscard]] KernelLaw defaultLaw(OpClass cls, Pass pass, DType dtype, const GpuSpec& gpu);

}  // namespace orrery
