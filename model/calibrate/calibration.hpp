// Fitted parameters of devices and links, with their uncertainty and the samples they came from.
#pragma once

#include <string>
#include <vector>

#include "model/calibrate/samples.hpp"
#include "model/ops/op.hpp"

namespace orrery {

/// The law of one kernel family on one device:
///     t = overhead + max(flops / (peak * eff(shape)), bytes / (bandwidth * eff(bytes)))
/// See docs/model.md, "Kernel time". Efficiencies are fractions of the data-sheet peak of GpuSpec.
struct KernelLaw {
    OpClass cls = OpClass::other;
    Pass pass = Pass::forward;
    DType dtype = DType::bf16;
    double computeEfficiency = 0.8;    ///< of large shapes
    double halfK = 0.0;                ///< length of the k loop at which half the efficiency is reached
    double halfMN = 0.0;               ///< output size (sqrt(m n)) at which half the efficiency is reached
    double bandwidthEfficiency = 0.8;  ///< of large operands
    Seconds overhead{};
    double residual = 0.0;  ///< rms of ln(measured / law) over the samples
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
