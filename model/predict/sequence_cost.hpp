// Time of a sequence of operators on one device: kernels in turn, collectives as far as nothing hides them.
#pragma once

#include <string_view>
#include <vector>

#include "model/cost/cost_model.hpp"
#include "model/ops/placed_op.hpp"
#include "model/predict/cost_vector.hpp"
#include "model/spec/parallel_plan.hpp"

namespace orrery {

/// The groups of a plan on a cluster whose rank order is tp, cp, dp, pp from the inside out (Megatron's default).
struct PlanGroups {
    Group tensor, context, contextAllToAll, expert, expertTensor, data, embedding;
    Group shard;          ///< ranks that divide states outside of experts among them: all of `data`, or an HSDP part
    Group replicate;      ///< what is left of `data` then
    Group expertData;     ///< ranks that hold the same experts
    int stageStride = 1;  ///< ranks from a device to its peer on the next stage

    PlanGroups(const ModelSpec& model, const ParallelPlan& plan, const ClusterSpec& cluster);
    [[nodiscard]] const Group& of(CommGroup group) const;
};

/// Which half of a backward pass to cost.
enum class Half : std::uint8_t { both, input, weight };

/// An operator with its time in the open, for a timeline.
struct TimedOp {
    std::string_view name;
    OpClass cls = OpClass::other;
    double seconds = 0.0;
    double hidden = 0.0;     ///< of a collective: what a kernel hides, which can then hide nothing else
    std::string_view under;  ///< that kernel
};

/// Adds up a sequence. A collective with Overlap::nextKernel costs what exceeds the next kernel, if that belongs to the
/// same half; a sliced one runs in tp slices beside its kernel k: max(c, k) + min(c, k)/tp - k. `asRecompute` books
/// kernels as recomputation. `detail`, when given, receives the operators one by one.
[[nodiscard]] CostVector costOf(const OpSequence& sequence, const CostModel& cost, const PlanGroups& groups,
                                Half half = Half::both, bool asRecompute = false,
                                std::vector<TimedOp>* detail = nullptr);

}  // namespace orrery
