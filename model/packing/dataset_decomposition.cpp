// Dataset decomposition with a curriculum over sequence lengths.
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "model/packing/pack_parts.hpp"
#include "model/packing/policies.hpp"

namespace orrery {
namespace {

constexpr std::int64_t kShortest = 64;

/// Pieces of a power-of-two length that wait, oldest first.
struct Bucket {
    std::vector<Piece> pieces;
    std::size_t at = 0;
    [[nodiscard]] std::int64_t waiting() const { return static_cast<std::int64_t>(pieces.size() - at); }
};
using Buckets = std::map<std::int64_t, Bucket>;

/// Largest power of two first, the rest likewise (the paper's figure 1).
void decompose(std::int64_t length, std::int64_t longest, std::size_t arrived, Buckets& buckets, Packing& packing) {
    int pieces = 0;
    while (length >= kShortest && longest >= kShortest) {
        const auto piece =
            static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::min(length, longest))));
        buckets[piece].pieces.push_back({piece, arrived});
        length -= piece;
        ++pieces;
    }
    packing.truncated += length;
    if (pieces > 1) ++packing.cutDocuments;
}

/// Buckets that fill a step, drawn with odds that halve with each doubling; end() when none does.
Buckets::iterator draw(Buckets& buckets, std::int64_t tokensPerPack, std::int64_t packs, std::mt19937_64& engine) {
    const auto fills = [&](const auto& entry) {
        return entry.second.waiting() >= packs * std::max<std::int64_t>(1, tokensPerPack / entry.first);
    };
    double sum = 0.0;
    for (const auto& entry : buckets) sum += fills(entry) ? 1.0 / static_cast<double>(entry.first) : 0.0;
    double left = sum * static_cast<double>(engine() >> 11U) * 0x1p-53;
    auto chosen = buckets.end();
    for (auto entry = buckets.begin(); entry != buckets.end(); ++entry) {
        if (!fills(*entry)) continue;
        chosen = entry;
        if ((left -= 1.0 / static_cast<double>(entry->first)) < 0.0) break;
    }
    return chosen;
}

}  // namespace

Packing datasetDecomposition(const GlobalBatches& batches, const PackingProblem& problem) {
    Packing packing;
    Buckets buckets;
    std::mt19937_64 engine(problem.seed);
    for (std::size_t arrived = 0; arrived < batches.size(); ++arrived) {
        for (const std::int64_t length : batches[arrived])
            decompose(length, problem.longest(), arrived, buckets, packing);
        for (;;) {
            const auto drawn = draw(buckets, problem.tokensPerMicroBatch, problem.packs(), engine);
            if (drawn == buckets.end()) break;
            Bucket& bucket = drawn->second;
            const auto each = static_cast<std::size_t>(problem.tokensPerMicroBatch / drawn->first);
            std::vector<Pack> packs;
            for (std::int64_t i = 0; i < problem.packs(); ++i) {
                const auto first = bucket.pieces.begin() + static_cast<std::ptrdiff_t>(bucket.at);
                packs.push_back(
                    paddedTo(0, place(Bin(first, first + static_cast<std::ptrdiff_t>(each)), arrived, packing)));
                bucket.at += each;
            }
            packing.steps.push_back(deal(std::move(packs), problem, drawn->first));
        }
    }
    for (const auto& [length, bucket] : buckets) packing.heldBack += length * bucket.waiting();
    return packing;
}

}  // namespace orrery
