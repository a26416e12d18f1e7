// WLB-LLM's variable-length packing with an outlier queue.
#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "model/packing/pack_parts.hpp"
#include "model/packing/policies.hpp"

namespace orrery {
namespace {

/// Documents of a quarter of the longest length and more wait, those of half of it and more in a queue of their own.
constexpr std::int64_t kLevels = 2;

/// Packs that are filled together, with the cost and the tokens of each; the cheapest and the emptiest are found in
/// log n.
class OpenPacks {
  public:
    OpenPacks(std::size_t packs, const PackingProblem& problem)
        : problem_(problem), bins_(packs), cost_(packs, 0.0), tokens_(packs, 0) {
        for (std::size_t i = 0; i < packs; ++i) {
            byCost_.emplace(0.0, i);
            byTokens_.emplace(0, i);
        }
    }

    /// The cheapest pack if that has room, else the emptiest; false when neither has.
    bool add(const Piece& piece) {
        std::size_t at = byCost_.begin()->second;
        if (tokens_[at] + piece.length > problem_.mostTokens()) at = byTokens_.begin()->second;
        if (tokens_[at] + piece.length > problem_.mostTokens()) return false;
        byCost_.erase({cost_[at], at});
        byTokens_.erase({tokens_[at], at});
        cost_[at] += problem_.cost.ofDocument(piece.length);
        tokens_[at] += piece.length;
        byCost_.emplace(cost_[at], at);
        byTokens_.emplace(tokens_[at], at);
        bins_[at].push_back(piece);
        return true;
    }

    [[nodiscard]] const std::vector<Bin>& bins() const { return bins_; }

  private:
    const PackingProblem& problem_;
    std::vector<Bin> bins_;
    std::vector<double> cost_;
    std::vector<std::int64_t> tokens_;
    std::set<std::pair<double, std::size_t>> byCost_;
    std::set<std::pair<std::int64_t, std::size_t>> byTokens_;
};

class Outliers {
  public:
    explicit Outliers(std::int64_t longest) : longest_(longest), queues_(kLevels) {}

    /// Takes the outliers out of `pieces`.
    void take(std::vector<Piece>& pieces) {
        std::vector<Piece> rest;
        for (const Piece& piece : pieces) {
            const int level = levelOf(piece.length);
            if (level < 0) {
                rest.push_back(piece);
            } else {
                queues_[static_cast<std::size_t>(level)].push_back(piece);
            }
        }
        pieces = std::move(rest);
    }

    /// Gives back one outlier for each pack from each queue that has so many.
    void release(std::size_t packs, std::vector<Piece>& pieces) {
        for (auto& queue : queues_) {
            if (queue.size() < packs) continue;
            const auto end = queue.begin() + static_cast<std::ptrdiff_t>(packs);
            pieces.insert(pieces.end(), queue.begin(), end);
            queue.erase(queue.begin(), end);
        }
    }

    [[nodiscard]] std::int64_t tokens() const {
        std::int64_t sum = 0;
        for (const auto& queue : queues_) {
            for (const Piece& piece : queue) sum += piece.length;
        }
        return sum;
    }

  private:
    [[nodiscard]] int levelOf(std::int64_t length) const {
        if (2 * length >= longest_) return 1;
        return 4 * length >= longest_ ? 0 : -1;
    }

    std::int64_t longest_;
    std::vector<std::deque<Piece>> queues_;
};

}  // namespace

Packing workloadBalanced(const GlobalBatches& batches, const PackingProblem& problem) {
    Packing packing;
    Outliers outliers(problem.longest());
    std::vector<Piece> pieces;  // what the step before had no room for comes first
    const auto count = static_cast<std::size_t>(problem.packs());
    for (std::size_t step = 0; step < batches.size(); ++step) {
        std::vector<Piece> arrived;
        cutToFit(batches[step], step, problem, packing, arrived);
        outliers.take(arrived);
        outliers.release(count, arrived);
        pieces.insert(pieces.end(), arrived.begin(), arrived.end());
        std::stable_sort(pieces.begin(), pieces.end(),
                         [](const Piece& a, const Piece& b) { return a.length > b.length; });
        OpenPacks open(count, problem);
        std::vector<Piece> left;
        for (const Piece& piece : pieces) {
            if (!open.add(piece)) left.push_back(piece);
        }
        pieces = std::move(left);
        std::vector<Pack> packs;
        for (const Bin& bin : open.bins()) packs.push_back(paddedTo(1, place(bin, step, packing)));
        packing.steps.push_back(deal(std::move(packs), problem, 1));
    }
    packing.heldBack = tokensOf(pieces) + outliers.tokens();
    return packing;
}

}  // namespace orrery
