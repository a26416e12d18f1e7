// What every packing policy takes and gives: documents that arrive in global batches, and the micro-batches of each
// step with an account of every token. What a step then costs is left to model/imbalance.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/workload.hpp"

namespace orrery {

/// Seconds that a pack keeps the busiest stage: a + b tokens + c causal pairs. Linear layers follow the tokens,
/// attention the pairs (WLB-LLM, arXiv 2503.17924, section 4.1 balances the sum of the two).
struct PackCost {
    double perPack = 0.0, perToken = 1.0, perPair = 0.0;

    [[nodiscard]] double of(double tokens, double pairs) const { return perPack + perToken * tokens + perPair * pairs; }
    [[nodiscard]] double of(const MicroBatch& pack) const {
        return of(static_cast<double>(pack.tokens()), pack.causalPairs());
    }
    /// Of a document in a pack.
    [[nodiscard]] double ofDocument(std::int64_t tokens) const;
};

struct PackingProblem {
    std::int64_t contextLength = 0;        ///< no piece of a document is longer
    std::int64_t tokensPerMicroBatch = 0;  ///< capacity of a pack of fixed length
    std::int64_t microBatches = 1;         ///< a replica and step
    std::int64_t multiple = 1;             ///< micro-batches of a replica are a multiple of this (interleaving: pp)
    int replicas = 1;
    double room = 1.5;  ///< packs of variable length hold at most so many times tokensPerMicroBatch
    PackCost cost;
    std::uint64_t seed = 1;

    /// Longest piece that a pack can hold.
    [[nodiscard]] std::int64_t longest() const;
    /// Most tokens of a pack of variable length.
    [[nodiscard]] std::int64_t mostTokens() const;
    [[nodiscard]] std::int64_t packs() const { return microBatches * replicas; }
    [[nodiscard]] std::int64_t tokensPerStep() const { return tokensPerMicroBatch * packs(); }
};

/// Lengths in the order in which documents arrive, one list a global batch.
using GlobalBatches = std::vector<std::vector<std::int64_t>>;

struct Pack {
    std::vector<std::int64_t> documents;  ///< pieces of documents, real tokens only
    MicroBatch computed;                  ///< segments that kernels see: padding included, masks as the policy says
};

struct PackedStep {
    std::vector<std::vector<Pack>> replicas;
};

/// Tokens of the batches = tokens in `steps` + truncated + heldBack.
struct Packing {
    std::vector<PackedStep> steps;
    std::int64_t truncated = 0;      ///< tokens thrown away
    std::int64_t heldBack = 0;       ///< tokens that wait for a step after the last one
    std::int64_t delayed = 0;        ///< tokens trained on in a later step than the one they arrived for
    double delayedTokenSteps = 0.0;  ///< sum over delayed tokens of the steps they waited
    std::int64_t cutDocuments = 0;   ///< documents in more than one piece
};

[[nodiscard]] Workload workloadOf(const PackedStep& step, std::int64_t contextLength);
[[nodiscard]] std::int64_t realTokens(const PackedStep& step);
[[nodiscard]] std::int64_t computedTokens(const PackedStep& step);

}  // namespace orrery
