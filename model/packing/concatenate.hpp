// The simplest packing: documents one after the other, cut where a micro-batch is full (GPT-2's and Megatron's data
// sets do so). The rest of a cut document opens the next micro-batch and attends only to itself.
#pragma once

#include <cstdint>
#include <functional>

#include "model/spec/workload.hpp"

namespace orrery {

struct PackShape {
    std::int64_t sequenceLength = 0;  ///< no piece is longer
    std::int64_t tokensPerMicroBatch = 0;
    std::int64_t microBatches = 0;  ///< a replica
    int replicas = 1;
};

/// Every micro-batch holds exactly tokensPerMicroBatch tokens. Pack i goes to replica i mod replicas, as samplers deal
/// consecutive samples to data-parallel ranks. `nextLength` gives the documents in order, each at least 1 token.
/// Throws InputError when there would be more than 20 million documents, and what `nextLength` throws.
[[nodiscard]] Workload concatenateAndChunk(const PackShape& shape, const std::function<std::int64_t()>& nextLength);

}  // namespace orrery
