#include "model/packing/pack_parts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace orrery {

void cutToFit(const std::vector<std::int64_t>& documents, std::size_t arrived, const PackingProblem& problem,
              Packing& packing, std::vector<Piece>& pieces) {
    for (std::int64_t length : documents) {
        if (length > problem.longest()) ++packing.cutDocuments;
        for (; length > problem.longest(); length -= problem.longest()) pieces.push_back({problem.longest(), arrived});
        pieces.push_back({length, arrived});
    }
}

std::int64_t tokensOf(const std::vector<Piece>& pieces) {
    std::int64_t tokens = 0;
    for (const Piece& piece : pieces) tokens += piece.length;
    return tokens;
}

std::vector<std::int64_t> place(const Bin& bin, std::size_t step, Packing& packing) {
    std::vector<std::int64_t> lengths;
    lengths.reserve(bin.size());
    for (const Piece& piece : bin) {
        lengths.push_back(piece.length);
        if (piece.arrived >= step) continue;
        packing.delayed += piece.length;
        packing.delayedTokenSteps += static_cast<double>(piece.length) * static_cast<double>(step - piece.arrived);
    }
    return lengths;
}

Pack paddedTo(std::int64_t tokens, std::vector<std::int64_t> documents) {
    Pack pack;
    pack.computed.documents = documents;
    pack.documents = std::move(documents);
    const std::int64_t missing =
        tokens - std::accumulate(pack.documents.begin(), pack.documents.end(), std::int64_t{0});
    if (missing > 0) pack.computed.documents.push_back(missing);
    return pack;
}

PackedStep deal(std::vector<Pack> packs, const PackingProblem& problem, std::int64_t fillTokens) {
    const auto row = static_cast<std::size_t>(problem.replicas * problem.multiple);
    while (packs.empty() || packs.size() % row != 0) packs.push_back(paddedTo(fillTokens, {}));
    PackedStep step;
    step.replicas.resize(static_cast<std::size_t>(problem.replicas));
    for (std::size_t i = 0; i < packs.size(); ++i)
        step.replicas[i % step.replicas.size()].push_back(std::move(packs[i]));
    return step;
}

}  // namespace orrery
