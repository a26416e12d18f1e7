// Hierarchical balance packing: several lengths of packs, balanced inside each kind.
#include <algorithm>
#include <map>
#include <queue>
#include <utility>

#include "model/packing/pack_parts.hpp"
#include "model/packing/policies.hpp"

namespace orrery {
namespace {

constexpr int kKinds = 4;  ///< capacity, a half, a quarter, an eighth

std::int64_t kindOf(std::int64_t length, std::int64_t capacity) {
    std::int64_t kind = capacity;
    for (int i = 1; i < kKinds && length <= kind / 2; ++i) kind /= 2;
    return kind;
}

double costOf(const Bin& bin, const PackCost& cost) {
    double sum = cost.perPack;
    for (const Piece& piece : bin) sum += cost.ofDocument(piece.length);
    return sum;
}

/// So few packs as hold the tokens of the pieces, each piece to the cheapest that has room, else to a new one.
void balance(const std::vector<Piece>& pieces, std::int64_t capacity, const PackCost& cost, std::vector<Bin>& bins) {
    struct Open {
        double cost = 0.0;
        std::int64_t tokens = 0;
        Bin bin;
    };
    std::vector<Open> open(static_cast<std::size_t>((tokensOf(pieces) + capacity - 1) / capacity));
    for (const Piece& piece : pieces) {
        Open* best = nullptr;
        for (Open& pack : open) {
            if (pack.tokens + piece.length <= capacity && (best == nullptr || pack.cost < best->cost)) best = &pack;
        }
        if (best == nullptr) best = &open.emplace_back();
        best->cost += cost.ofDocument(piece.length);
        best->tokens += piece.length;
        best->bin.push_back(piece);
    }
    for (Open& pack : open) {
        if (!pack.bin.empty()) bins.push_back(std::move(pack.bin));
    }
}

}  // namespace

Packing hierarchicalBalance(const GlobalBatches& batches, const PackingProblem& problem) {
    Packing packing;
    for (std::size_t step = 0; step < batches.size(); ++step) {
        std::vector<Piece> pieces;
        cutToFit(batches[step], step, problem, packing, pieces);
        std::stable_sort(pieces.begin(), pieces.end(),
                         [](const Piece& a, const Piece& b) { return a.length > b.length; });
        std::map<std::int64_t, std::vector<Piece>> kinds;
        for (const Piece& piece : pieces) kinds[kindOf(piece.length, problem.tokensPerMicroBatch)].push_back(piece);
        std::vector<Bin> bins;
        for (const auto& [capacity, members] : kinds) balance(members, capacity, problem.cost, bins);
        std::stable_sort(bins.begin(), bins.end(),
                         [&](const Bin& a, const Bin& b) { return costOf(a, problem.cost) > costOf(b, problem.cost); });
        std::vector<Pack> packs;
        for (const Bin& bin : bins) packs.push_back(paddedTo(0, place(bin, step, packing)));
        packing.steps.push_back(deal(std::move(packs), problem, 1));
    }
    return packing;
}

}  // namespace orrery
