// What the job runs on: devices with their peaks, and the link levels that join them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/spec/dtype.hpp"
#include "model/units/quantity.hpp"

namespace orrery {

/// One accelerator (or one CPU process) by its data sheet. What it reaches in practice is calibration, not here.
struct GpuSpec {
    std::string name;                       ///< catalog name, as measurements call it ("H100-SXM")
    std::map<DType, FlopsPerSecond> peaks;  ///< dense peak of the matrix units
    FlopsPerSecond vectorPeak{};            ///< fp32 outside the matrix units
    BytesPerSecond memoryBandwidth{};
    Bytes memory{};
    int multiprocessors = 0;  ///< SMs / CUs / cores
    Seconds launchOverhead{};
    /// Share of the rate of a kernel timed alone that matrix kernels of a dtype keep in a step full of them: the clock
    /// that the power limit leaves, operands that are not zeros. Empty: what the calibration says.
    std::map<DType, double> sustained;

    /// Peak for a dtype; falls back to the next wider format the device has. Throws InputError when it has none.
    [[nodiscard]] FlopsPerSecond peak(DType dtype) const;
};

/// One level of the network: `size` consecutive devices reach each other over it (node, NVL72 domain, rail, spine).
struct LinkLevel {
    std::string name;            ///< "NVLink4", "InfiniBand NDR"
    int size = 1;                ///< devices joined by this level; levels grow from inside out
    BytesPerSecond bandwidth{};  ///< per device and direction, data sheet
    Seconds latency{};           ///< one hop
    bool inNetworkReduction = false;
};

struct ClusterSpec {
    std::string name;
    GpuSpec gpu;
    int gpus = 0;
    int gpusPerNode = 0;
    std::vector<LinkLevel> links;     ///< inside out; the last level joins all
    std::vector<double> deviceSpeed;  ///< speed factor per rank, 1 = nominal; empty: all 1

    /// The innermost level that joins `span` consecutive devices.
    [[nodiscard]] const LinkLevel& levelFor(int span) const;
    [[nodiscard]] double speedOf(int rank) const;
};

/// Throws InputError that names the field when sizes are not positive or the levels do not join all GPUs.
void validate(const ClusterSpec& cluster);

}  // namespace orrery
