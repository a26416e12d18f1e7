// Fitted parameters of devices and links, with their uncertainty and the samples they came from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/calibrate/samples.hpp"
#include "model/ops/op.hpp"

namespace orrery {

/// The law of one kernel family on one device (docs/model.md, "Kernel time"):
///     t = overhead + max(flops / (peak * computeEfficiency * saturation(shape)),
///                        bytes / (bandwidth * bandwidthEfficiency * bytes / (bytes + halfBytes)))
/// Efficiencies are fractions of the data-sheet peak of GpuSpec. Parameters that a family does not use stay 0.
struct KernelLaw {
    OpClass cls = OpClass::other;
    Pass pass = Pass::forward;
    DType dtype = DType::bf16;
    std::string opName;              ///< only for operators of this name ("qkv"); empty: for all of the class
    double computeEfficiency = 0.8;  ///< of large shapes; clocks under power limits included
    double halfK = 0.0;   ///< gemm: k at which half the efficiency is reached; attention: the same for the head size
    double halfMN = 0.0;  ///< gemm: sqrt(m n groups) at half the efficiency; attention: keys a query sees, at half
    double tileM = 0.0, tileN = 0.0;   ///< output tile of one multiprocessor; 0: no tile or wave quantisation
    double waveShare = 0.0;            ///< 0..1, how much of the idle tail of the last wave shows
    double bandwidthEfficiency = 0.8;  ///< of large operands
    Bytes halfBytes{};                 ///< operand size at which half the bandwidth is reached
    Seconds overhead{};                ///< fixed part of every kernel: launch, prologue, tail
    double residual = 0.0;             ///< rms of ln(measured / law) over the samples
    int samples = 0;
};

/// Piecewise linear law of a collective: t = latency + factor(kind, ranks) * bytes / bandwidth up to `upTo` bytes.
struct CollectiveRegime {
    Bytes upTo{};
    Seconds latency{};
    BytesPerSecond busBandwidth{};
};
struct CollectiveLaw {
    OpClass kind = OpClass::allReduce;
    std::string link;
    int ranks = 0;  ///< 0: for any group size
    std::vector<CollectiveRegime> regimes;
    double residual = 0.0;
    int samples = 0;
};

struct DeviceCalibration {
    std::string device;  ///< catalog name
    std::vector<KernelLaw> laws;
    std::vector<KernelSample> table;  ///< kept samples: a measured shape wins over a fitted one
    Seconds gapPerTask{};             ///< host time of a task without operators
    Seconds gapPerOperator{};
};

/// An empty calibration is valid: the cost model then answers from data sheets and says so.
struct Calibration {
    std::string name;
    std::vector<std::string> sources;
    std::vector<DeviceCalibration> devices;
    std::vector<CollectiveLaw> collectives;

    [[nodiscard]] const DeviceCalibration* device(std::string_view name) const;
};

}  // namespace orrery
