// A workload as predictions read it: distinct micro-batches, distinct replicas, and totals, found once.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/workload.hpp"

namespace orrery {

/// Equal document lists have equal costs. Points into the workload, which must outlive it. One index serves every plan
/// of the same workload.
struct IndexedWorkload {
    std::vector<const MicroBatch*> shapes;
    std::vector<std::vector<std::uint32_t>> shapeOf;  ///< per distinct list of micro-batches
    std::vector<std::vector<int>> counts;             ///< per distinct list: micro-batches of each shape
    std::vector<std::uint32_t> listOf;                ///< per replica: index into shapeOf
    double tokens = 0.0;
    double pairs = 0.0;  ///< causal query-key pairs

    /// Throws InputError that names the replica when it has no micro-batches, or one has no documents or an empty one.
    explicit IndexedWorkload(const Workload& workload);
};

}  // namespace orrery
