// The legal plans of a space, and why the others are not.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/search/plan_space.hpp"
#include "model/spec/cluster_spec.hpp"
#include "model/spec/model_spec.hpp"

namespace orrery {

/// One point of a space.
struct Candidate {
    int tp = 1, pp = 1, vpp = 1, dp = 1, cp = 1, ep = 1, etp = 1, microBatch = 1;
    ScheduleKind schedule = ScheduleKind::oneFOneB;
    Recompute recompute = Recompute::none;
    Sharding sharding = Sharding::zero0;
    LayerSplit split = LayerSplit::even;
    bool sequenceParallel = false;

    auto operator<=>(const Candidate&) const = default;
};

[[nodiscard]] ParallelPlan planOf(const Candidate& candidate, const PlanSpace& space);

/// Why a point of a space is no plan, or no plan for this cluster.
enum class Rejection : std::uint8_t {
    gpus,       ///< sizes do not multiply to the number of GPUs
    placement,  ///< a tensor-parallel group lies askew in the nodes
    heads,      ///< tp divides heads or columns of no matrix
    context,    ///< cp does not divide the sequence in two halves for each rank
    experts,    ///< ep or etp does not divide experts or ranks
    layers,     ///< fewer layers than positions, or an uneven split where an even one exists
    schedule,   ///< schedule, pp, vpp and micro-batches do not go together
    batch,      ///< micro-batches of all replicas do not make up the batch
    states,     ///< weights, gradients and optimizer states alone exceed the memory
    memory,     ///< with activations it exceeds the memory
};
inline constexpr std::size_t kRejections = static_cast<std::size_t>(Rejection::memory) + 1;

/// "sizes are not the number of GPUs", ... for a table.
[[nodiscard]] std::string_view describe(Rejection reason);
/// "gpus", "placement", ...: keys of JSON.
[[nodiscard]] std::string_view name(Rejection reason);

using RejectionCounts = std::array<std::int64_t, kRejections>;

struct Candidates {
    std::vector<Candidate> legal;  ///< in order of enumeration, without plans that equal an earlier one
    RejectionCounts rejected{};    ///< points of the space; equal plans are counted nowhere
};

/// Goes through the space. \pre openDimensions() has filled it.
[[nodiscard]] Candidates legalCandidates(const PlanSpace& space, const ModelSpec& model, const ClusterSpec& cluster,
                                         const JobSize& job);

}  // namespace orrery
