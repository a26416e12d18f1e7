// Fitted parameters of devices and links, with their uncertainty and the samples they came from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/calibrate/samples.hpp"
#include "model/ops/op.hpp"

namespace orrery {

/// The law of one kernel family on one device (docs/model.md, "Kernel time"):
///     t = overhead + max(flops / (peak * computeEfficiency * shape), bytes / (bandwidth * bandwidthEfficiency * size))
/// where `shape` and `size` (0..1) are the saturation terms of the family. Efficiencies are fractions of the data-sheet
/// peak of GpuSpec. Parameters that a family does not use stay 0.
struct KernelLaw {
    OpClass cls = OpClass::other;
    Pass pass = Pass::forward;
    DType dtype = DType::bf16;
    std::string opName;              ///< only for operators or implementations of this name; empty: all of the class
    double computeEfficiency = 0.8;  ///< 0.3..1, of large shapes; the clocks that power limits leave are in it
    double sustainedShare = 1.0;  ///< 0.5..1: clock under a long matrix kernel over that of a short one (power limit)
    Flops burstWork{};            ///< 1e11..1e13 FLOP: work at which half of that drop shows; 0: no drop
    double halfTile = 0.0;   ///< elements, 5..100: tm tn/(tm+tn) of a tile at half rate; > 0: GEMM priced tile by tile
    Seconds waveOverhead{};  ///< 0.1..5 us: prologue and epilogue of each wave of tiles
    double waveShare = 0.0;  ///< 0..1: how much of the idle tail of the last wave shows (0: stream-K, persistent)
    double halfK = 0.0;      ///< k (attention: head size) at half rate; without tiles
    double halfMN = 0.0;     ///< sqrt(m n groups) (attention: keys a query sees) at half rate; without tiles
    double trainingClock = 1.0;  ///< 0.7..1: clock in a training step over that under which the samples were taken
    double bandwidthEfficiency = 0.8;  ///< 0.2..1, of large operands
    Bytes halfBytes{};                 ///< operand size at half the bandwidth, 0..16 MiB
    Seconds overhead{};                ///< 0.5..20 us: fixed part of every kernel
    double residual = 0.0;             ///< rms of ln(measured / law) over the samples
    double interpolationError = 0.0;   ///< rms of the same after neighbours' correction, leave-one-out
    double reach = 0.0;  ///< radius in log2(size) within which a sample corrects the law; 0: no correction
    int samples = 0;
};

/// A measured shape that is kept: it wins over the law, and it corrects the law near it.
struct KernelTableEntry {
    Op op;  ///< op.name is empty; see opName
    std::string opName;
    Seconds time{};  ///< median of the repeats
    int repeats = 1;
    double weight = 0.0;  ///< of its neighbourhood's correction of ln(time), solved at calibration
};

/// One protocol of a collective: t = latency + hops(kind, ranks) * hopLatency + busFactor(kind, ranks) * bytes /
/// busBandwidth. The library takes the protocol that wins at a size (NCCL: LL, LL128, Simple).
struct CollectiveRegime {
    Seconds latency{};     ///< 5..50 us on GPUs: launch and rendezvous
    Seconds hopLatency{};  ///< 0.5..20 us
    BytesPerSecond busBandwidth{};
};

/// A measured time of a collective that is kept, and its part in the correction of the law near it.
struct CollectivePoint {
    int ranks = 2;
    int nodes = 1;
    Bytes bytes{};
    Seconds time{};  ///< median of the repeats
    double weight = 0.0;
};

/// A fitted collective of one device over one kind of link, for any group size: the fastest regime, corrected by
/// measured points near in log2(bytes) and log2(ranks).
struct CollectiveLaw {
    OpClass kind = OpClass::allReduce;
    std::string device;        ///< catalog name of the GPU; empty: any
    std::string link;          ///< as the source calls it
    bool acrossNodes = false;  ///< measured over more than one node
    std::vector<CollectiveRegime> regimes;
    std::vector<CollectivePoint> points;
    double residual = 0.0;            ///< rms of ln(measured / regimes)
    double interpolationError = 0.0;  ///< rms with the correction, leave-one-out
    double reach = 0.0;               ///< radius of the correction in log2(size); 0: none
    int samples = 0;
};

struct DeviceCalibration {
    std::string device;  ///< catalog name
    std::vector<KernelLaw> laws;
    std::vector<KernelTableEntry> table;
    Seconds gapPerTask{};  ///< host time of a task without operators
    Seconds gapPerOperator{};
};

/// A device that was not measured takes the laws of one that was: efficiencies are fractions of each data sheet, so
/// they carry over between boards of one architecture; measured times do not.
struct StandIn {
    std::string device, like;
};

/// An empty calibration is valid: the cost model then answers from data sheets and says so.
struct Calibration {
    std::string name;
    std::vector<std::string> sources;
    std::vector<DeviceCalibration> devices;
    std::vector<CollectiveLaw> collectives;
    std::vector<StandIn> standIns;

    /// Calibration of the device itself; nullptr when there is none.
    [[nodiscard]] const DeviceCalibration* device(std::string_view name) const;
    /// The device's own calibration first, then those of its stand-ins: the first that has a law for a class gives it.
    [[nodiscard]] std::vector<const DeviceCalibration*> sourcesFor(std::string_view name) const;
};

}  // namespace orrery
