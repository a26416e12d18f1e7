// What one training step works on: documents in micro-batches, per data-parallel replica.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery {

/// The documents that travel together through the pipeline. A document attends only to itself (causal mask per
/// document); a micro-batch of b fixed sequences is b documents of equal length.
struct MicroBatch {
    std::vector<std::int64_t> documents;  ///< lengths in tokens

    [[nodiscard]] std::int64_t tokens() const;
    /// Sum of l(l+1)/2 over documents: query-key pairs under a causal mask.
    [[nodiscard]] double causalPairs() const;
    /// Sum of l^2 over documents: query-key pairs without a mask.
    [[nodiscard]] double fullPairs() const;
};

/// One optimizer step: `replicas[d]` is the ordered list of micro-batches of data-parallel replica d.
struct Workload {
    std::int64_t sequenceLength = 0;  ///< the longest context; position tables and buffers are sized by it
    std::vector<std::vector<MicroBatch>> replicas;

    [[nodiscard]] std::int64_t tokens() const;
    [[nodiscard]] std::int64_t microBatches() const;  ///< of the first replica

    /// Fixed-length sequences: `globalBatch` sequences in micro-batches of `microBatch` over `dp` replicas.
    /// Throws InputError when globalBatch is not a multiple of microBatch x dp.
    [[nodiscard]] static Workload fixed(std::int64_t sequenceLength, std::int64_t globalBatch, std::int64_t microBatch,
                                        int dp);
};

}  // namespace orrery
