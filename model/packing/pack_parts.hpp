// Steps that several policies share: cutting long documents, padding, dealing packs to replicas. Internal to
// model/packing.
#pragma once

#include <cstdint>
#include <vector>

#include "model/packing/packing.hpp"

namespace orrery {

/// A document, or a part of one, with the step that it arrived for.
struct Piece {
    std::int64_t length = 0;
    std::size_t arrived = 0;
};
using Bin = std::vector<Piece>;

/// Appends the documents, cut into pieces of PackingProblem::longest(); cut ones are counted in `packing`.
void cutToFit(const std::vector<std::int64_t>& documents, std::size_t arrived, const PackingProblem& problem,
              Packing& packing, std::vector<Piece>& pieces);

[[nodiscard]] std::int64_t tokensOf(const std::vector<Piece>& pieces);

/// Lengths of a pack for step `step`; pieces that arrived earlier are counted as delayed.
[[nodiscard]] std::vector<std::int64_t> place(const Bin& bin, std::size_t step, Packing& packing);

/// A pack filled up to `tokens` with one segment of padding, which attends only to itself.
[[nodiscard]] Pack paddedTo(std::int64_t tokens, std::vector<std::int64_t> documents);

/// Pack i goes to replica i mod replicas, as samplers deal consecutive samples. Replicas get equally many packs, a
/// multiple of PackingProblem::multiple; what is missing is made of `fillTokens` of padding.
[[nodiscard]] PackedStep deal(std::vector<Pack> packs, const PackingProblem& problem, std::int64_t fillTokens);

}  // namespace orrery
