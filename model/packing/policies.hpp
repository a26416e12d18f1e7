// The packing policies that Orrery knows, in one table. A policy is a function; another one is a function of the same
// form (docs/packing.md shows one) and a line in the table.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "model/packing/packing.hpp"

namespace orrery {

using PackingFunction = std::function<Packing(const GlobalBatches&, const PackingProblem&)>;

struct PackingPolicy {
    std::string_view name, summary, source;
    PackingFunction pack;
};

[[nodiscard]] std::span<const PackingPolicy> packingPolicies();
/// Throws InputError that lists the names when there is none of this name.
[[nodiscard]] const PackingPolicy& packingPolicy(std::string_view name);

/// Documents one after the other, cut where a pack is full. Across: attention ignores where documents end (GPT-3, arXiv
/// 2005.14165, appendix B); within: a mask per document (Llama 3, arXiv 2407.21783, section 3.2). What does not fill a
/// step waits for the next one.
[[nodiscard]] Packing concatenateAcross(const GlobalBatches& batches, const PackingProblem& problem);
[[nodiscard]] Packing concatenateWithin(const GlobalBatches& batches, const PackingProblem& problem);

/// Longest document first into the first pack with room, or into the one with the least room (Johnson 1974; for
/// documents: Ding et al. 2024, arXiv 2404.10830). Packs are padded to the capacity.
[[nodiscard]] Packing firstFitDecreasing(const GlobalBatches& batches, const PackingProblem& problem);
[[nodiscard]] Packing bestFitDecreasing(const GlobalBatches& batches, const PackingProblem& problem);

/// Documents of one power-of-two length range share a pack, each padded to the longest of the pack.
[[nodiscard]] Packing lengthBuckets(const GlobalBatches& batches, const PackingProblem& problem);

/// Dataset decomposition (Pouransari et al. 2024, arXiv 2405.13226): documents are cut into power-of-two pieces, every
/// step holds pieces of one length and the same number of tokens, and the lengths of the steps are drawn with odds that
/// halve with each doubling (the paper's Grow-P2). Pieces below 64 tokens are dropped and counted as truncated.
[[nodiscard]] Packing datasetDecomposition(const GlobalBatches& batches, const PackingProblem& problem);

/// WLB-LLM (Wang et al. 2025, arXiv 2503.17924, section 4): long documents wait in queues by length until there is one
/// for each pack; the rest goes, longest first, to the pack of least predicted cost that has room, else to the next
/// step. Packs vary in length up to PackingProblem::mostTokens().
[[nodiscard]] Packing workloadBalanced(const GlobalBatches& batches, const PackingProblem& problem);

/// Hierarchical balance packing (Yao et al. 2025, arXiv 2503.07680): packs of several lengths, halving from the
/// capacity; a document goes to the shortest kind that holds it, packs of a kind are balanced by attention, and
/// replicas run packs of like cost at the same time.
[[nodiscard]] Packing hierarchicalBalance(const GlobalBatches& batches, const PackingProblem& problem);

}  // namespace orrery
