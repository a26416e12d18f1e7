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

/// Evaluates `law` for `op` on `gpu` (roofline of Williams et al. 2009, bent by saturation and quantisation).
/// GEMM tiles and waves: NVIDIA, "Matrix Multiplication Background User's Guide", section 4.
[[nodiscard]] KernelTerms evaluate(const KernelLaw& law, const Op& op, const GpuSpec& gpu);

/// Share of the output tiles' work that is useful, times the share of multiprocessors busy in the last wave, weighted
/// by `law.waveShare`. 1 when the law has no tiles.
[[nodiscard]] double quantisation(const KernelLaw& law, double m, double n, double groups, int multiprocessors);

/// The law used when nothing was measured: fractions of the data sheet that large kernels of the class usually reach.
[[nodiscard]] KernelLaw defaultLaw(OpClass cls, Pass pass, DType dtype, const GpuSpec& gpu);

}  // namespace orrery
