// Sizes that one rank sees of one micro-batch: the model's sizes divided by tensor and context parallelism.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/model_spec.hpp"
#include "model/spec/parallel_plan.hpp"
#include "model/spec/workload.hpp"

namespace orrery {

/// Documents of one length, which a batched kernel takes together.
struct DocumentRun {
    std::int64_t length = 0;
    std::int64_t count = 0;
};

struct ShardShape {
    std::int64_t tokens = 0;   ///< of the micro-batch on this context-parallel rank
    double shardTokens = 0;    ///< tokens that norms and residuals see: tokens/tp with sequence parallelism
    double pairs = 0.0;        ///< causal query-key pairs, over context-parallel ranks balanced
    double windowPairs = 0.0;  ///< the same within the sliding window
    std::int64_t longest = 0;
    std::vector<DocumentRun> runs;  ///< by length; for attention without a fused kernel

    std::int64_t hidden = 0;
    std::int64_t heads = 0, kvHeads = 0, headDim = 0;  ///< heads of this rank; kv heads are repeated when tp is larger
    std::int64_t ffn = 0;                              ///< MLP columns of this rank, of one matrix
    std::int64_t vocab = 0;                            ///< rows of embedding and output on this rank, rounded up
    std::int64_t valueDim = 0;                         ///< of a value head; headDim is that of queries and keys

    // Experts: what this rank routes, and what its own experts work on.
    double routedTokens = 0.0;         ///< tokens whose routing this rank decides
    double dispatchedTokens = 0.0;     ///< copies it sends: routedTokens x top-k
    std::int64_t tokensPerExpert = 0;  ///< rows of one local expert's matrix multiplication
    std::int64_t localExperts = 0;
    std::int64_t expertFfn = 0, sharedFfn = 0;  ///< columns of this rank, of one matrix

    [[nodiscard]] double expertTokens() const {
        return static_cast<double>(tokensPerExpert) * static_cast<double>(localExperts);
    }
    [[nodiscard]] std::int64_t queryWidth() const { return heads * headDim; }
    [[nodiscard]] std::int64_t valueWidth() const { return heads * valueDim; }
    [[nodiscard]] std::int64_t kvWidth() const { return kvHeads * (headDim + valueDim); }
    [[nodiscard]] std::int64_t qkvWidth() const { return queryWidth() + kvWidth(); }
};

/// \pre the plan fits the model (validate).
[[nodiscard]] ShardShape shardShape(const ModelSpec& model, const ParallelPlan& plan, const MicroBatch& microBatch);

/// Tensor-parallel ranks that share tokens: tp with sequence parallelism, else 1.
[[nodiscard]] inline int sequenceShards(const ParallelPlan& plan) {
    return plan.sequenceParallel ? plan.tp : 1;
}

}  // namespace orrery
