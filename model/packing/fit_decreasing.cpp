// First-fit and best-fit decreasing, and length buckets: packs of fixed length, padded.
#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <utility>

#include "model/packing/pack_parts.hpp"
#include "model/packing/policies.hpp"

namespace orrery {
namespace {

/// First fit by a tournament tree over the room of each pack: the leftmost leaf with room, in log n.
class RoomTree {
  public:
    RoomTree(std::size_t packs, std::int64_t capacity)
        : leaves_(std::bit_ceil(std::max<std::size_t>(packs, 1))), room_(2 * leaves_, capacity) {}

    std::size_t place(std::int64_t length) {
        std::size_t node = 1;
        while (node < leaves_) {
            node *= 2;
            if (room_[node] < length) ++node;
        }
        const std::size_t pack = node - leaves_;
        room_[node] -= length;
        for (node /= 2; node > 0; node /= 2) room_[node] = std::max(room_[2 * node], room_[2 * node + 1]);
        return pack;
    }

  private:
    std::size_t leaves_;
    std::vector<std::int64_t> room_;
};

std::vector<Bin> firstFit(const std::vector<Piece>& pieces, std::int64_t capacity) {
    std::vector<Bin> bins;
    RoomTree tree(pieces.size(), capacity);
    for (const Piece& piece : pieces) {
        const std::size_t pack = tree.place(piece.length);
        if (pack >= bins.size()) bins.resize(pack + 1);
        bins[pack].push_back(piece);
    }
    return bins;
}

std::vector<Bin> bestFit(const std::vector<Piece>& pieces, std::int64_t capacity) {
    std::vector<Bin> bins;
    std::multimap<std::int64_t, std::size_t> byRoom;
    for (const Piece& piece : pieces) {
        const auto tightest = byRoom.lower_bound(piece.length);
        std::size_t pack = bins.size();
        std::int64_t room = capacity;
        if (tightest == byRoom.end()) {
            bins.emplace_back();
        } else {
            room = tightest->first;
            pack = tightest->second;
            byRoom.erase(tightest);
        }
        bins[pack].push_back(piece);
        byRoom.emplace(room - piece.length, pack);
    }
    return bins;
}

using Fit = std::vector<Bin> (*)(const std::vector<Piece>&, std::int64_t);

bool longer(const Piece& a, const Piece& b) {
    return a.length > b.length;
}

/// The fullest packs make the step; the others' documents wait for the next one, where they come first among equals.
Packing fitDecreasing(const GlobalBatches& batches, const PackingProblem& problem, Fit fit) {
    Packing packing;
    std::vector<Piece> pieces;
    const auto most = static_cast<std::size_t>(problem.packs());
    for (std::size_t step = 0; step < batches.size(); ++step) {
        cutToFit(batches[step], step, problem, packing, pieces);
        std::stable_sort(pieces.begin(), pieces.end(), longer);
        std::vector<Bin> bins = fit(pieces, problem.tokensPerMicroBatch);
        if (bins.size() > most) {
            std::stable_sort(bins.begin(), bins.end(),
                             [](const Bin& a, const Bin& b) { return tokensOf(a) > tokensOf(b); });
        }
        pieces.clear();
        std::vector<Pack> packs;
        for (std::size_t i = 0; i < bins.size(); ++i) {
            if (i < most) {
                packs.push_back(paddedTo(problem.tokensPerMicroBatch, place(bins[i], step, packing)));
            } else {
                pieces.insert(pieces.end(), bins[i].begin(), bins[i].end());
            }
        }
        packing.steps.push_back(deal(std::move(packs), problem, problem.tokensPerMicroBatch));
    }
    packing.heldBack = tokensOf(pieces);
    return packing;
}

/// Documents of one bucket, longest first, as many to a pack as fit when each is as long as the first.
void packBucket(const std::vector<Piece>& bucket, std::int64_t capacity, std::vector<Pack>& packs) {
    for (std::size_t first = 0; first < bucket.size();) {
        const std::int64_t padded = bucket[first].length;
        const std::size_t most = static_cast<std::size_t>(std::max<std::int64_t>(1, capacity / padded));
        const std::size_t end = std::min(bucket.size(), first + most);
        Pack pack;
        for (std::size_t i = first; i < end; ++i) pack.documents.push_back(bucket[i].length);
        pack.computed.documents.assign(end - first, padded);
        packs.push_back(std::move(pack));
        first = end;
    }
}

}  // namespace

Packing firstFitDecreasing(const GlobalBatches& batches, const PackingProblem& problem) {
    return fitDecreasing(batches, problem, firstFit);
}
Packing bestFitDecreasing(const GlobalBatches& batches, const PackingProblem& problem) {
    return fitDecreasing(batches, problem, bestFit);
}

Packing lengthBuckets(const GlobalBatches& batches, const PackingProblem& problem) {
    Packing packing;
    for (const auto& batch : batches) {
        std::vector<Piece> pieces;
        cutToFit(batch, packing.steps.size(), problem, packing, pieces);
        std::stable_sort(pieces.begin(), pieces.end(), longer);
        std::vector<Pack> packs;
        const auto bucketOf = [](const Piece& piece) {
            return std::bit_width(static_cast<std::uint64_t>(piece.length - 1));
        };
        for (std::size_t i = 0; i < pieces.size();) {
            std::vector<Piece> bucket;
            const auto number = bucketOf(pieces[i]);
            for (; i < pieces.size() && bucketOf(pieces[i]) == number; ++i) bucket.push_back(pieces[i]);
            packBucket(bucket, problem.tokensPerMicroBatch, packs);
        }
        packing.steps.push_back(deal(std::move(packs), problem, 1));
    }
    return packing;
}

}  // namespace orrery
