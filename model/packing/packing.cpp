#include "model/packing/packing.hpp"

#include <algorithm>
#include <numeric>

namespace orrery {

double PackCost::ofDocument(std::int64_t tokens) const {
    const auto length = static_cast<double>(tokens);
    return perToken * length + perPair * length * (length + 1.0) / 2.0;
}

std::int64_t PackingProblem::longest() const {
    return std::min(contextLength, tokensPerMicroBatch);
}

std::int64_t PackingProblem::mostTokens() const {
    return static_cast<std::int64_t>(room * static_cast<double>(tokensPerMicroBatch));
}

Workload workloadOf(const PackedStep& step, std::int64_t contextLength) {
    Workload workload;
    workload.sequenceLength = contextLength;
    for (const auto& packs : step.replicas) {
        auto& list = workload.replicas.emplace_back();
        for (const Pack& pack : packs) list.push_back(pack.computed);
    }
    return workload;
}

std::int64_t realTokens(const PackedStep& step) {
    std::int64_t tokens = 0;
    for (const auto& packs : step.replicas) {
        for (const Pack& pack : packs) tokens = std::accumulate(pack.documents.begin(), pack.documents.end(), tokens);
    }
    return tokens;
}

std::int64_t computedTokens(const PackedStep& step) {
    std::int64_t tokens = 0;
    for (const auto& packs : step.replicas) {
        for (const Pack& pack : packs) tokens += pack.computed.tokens();
    }
    return tokens;
}

}  // namespace orrery
