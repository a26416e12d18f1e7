// What calibration is fitted to: single measurements of kernels, collectives and host gaps, wherever they came from
// (our own profiles, published tables, nccl-tests).
#pragma once

#include <string>
#include <vector>

#include "model/ops/op.hpp"

namespace orrery {

/// One operator that was timed. `op` holds shape, pass, dtype and exact work as in a prediction.
struct KernelSample {
    std::string device;  ///< catalog name of the GPU, or "cpu"
    Op op;
    std::string opName;  ///< owns what op.name would point to; empty when the source only has shapes
    Seconds time{};
    std::string source;  ///< file or repository@commit
};

/// One timed collective or transfer, without waiting for peers: from the last arrival to the end.
struct CollectiveSample {
    std::string device;  ///< catalog name of the GPU; empty when unknown
    OpClass kind = OpClass::allReduce;
    int ranks = 1;
    int nodes = 1;
    std::string link;  ///< name of the link level, as the catalog calls it; empty when unknown
    Bytes bytes{};     ///< nccl-tests convention: the full buffer (all-gather: output, reduce-scatter: input)
    Seconds time{};
    std::string source;
};

/// Time of a task (forward or backward of one micro-batch) that no operator inside it covers.
struct HostGapSample {
    std::string device;
    int operators = 0;  ///< operators in the task
    Seconds gap{};
};

struct Samples {
    std::vector<KernelSample> kernels;
    std::vector<CollectiveSample> collectives;
    std::vector<HostGapSample> hostGaps;
};

}  // namespace orrery
