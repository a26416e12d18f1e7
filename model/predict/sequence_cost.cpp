#include "model/predict/sequence_cost.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

bool belongsTo(Half half, const PlacedOp& op) {
    if (half == Half::both) return true;
    return (op.op.pass == Pass::backwardWeight) == (half == Half::weight);
}

/// The kernel beside which a collective runs; nullptr when it runs in the open.
const PlacedOp* partnerOf(const OpSequence& sequence, std::size_t at, Half half) {
    const Overlap overlap = sequence[at].overlap;
    const bool before = overlap == Overlap::slicedBefore;
    if (overlap == Overlap::none || (before ? at == 0 : at + 1 == sequence.size())) return nullptr;
    const PlacedOp& partner = sequence[before ? at - 1 : at + 1];
    return partner.group != CommGroup::none || !belongsTo(half, partner) ? nullptr : &partner;
}

/// Part of a collective of `time` that its partner does not hide.
double exposed(const PlacedOp& op, const PlacedOp& partner, double time, const CostModel& cost, int ranks) {
    const double kernel = partner.repeat * cost.kernel(partner.op).time.value();
    if (op.overlap == Overlap::nextKernel) return std::max(0.0, time - kernel);
    return std::max(time, kernel) + std::min(time, kernel) / ranks - kernel;
}

}  // namespace

PlanGroups::PlanGroups(const ModelSpec& model, const ParallelPlan& plan, const ClusterSpec& cluster)
    : tensor{"tp", plan.tp, 1},
      context{"cp", plan.ringRanks(), plan.tp * plan.cpAllToAll},
      contextAllToAll{"cp_a2a", plan.cpAllToAll, plan.tp},
      expert{"ep", plan.ep, plan.etp},
      expertTensor{"etp", plan.etp, 1},
      data{"dp", plan.dataRanks(), plan.tp},  // gradients are summed over context-parallel ranks too
      embedding{"embedding", plan.pp > 1 ? 2 : 1, 1},
      shard{"shard", plan.shardRanks > 0 ? plan.shardRanks : plan.dataRanks(), plan.tp},
      replicate{"replicate", plan.dataRanks() / shard.size, plan.tp * shard.size},
      expertData{"edp", plan.expertDataRanks(), plan.ep * plan.etp},
      stageStride(plan.tp * plan.cp * plan.dp) {
    embedding.stride = std::max(1, (plan.pp - 1) * stageStride);
    if (plan.ep > 1 && plan.expertDispatch == ExpertDispatch::deduplicated && !cluster.links.empty()) {
        // With N nodes and k experts chosen evenly, a token's copies go to N (1 - (1 - 1/N)^k) of them.
        const double nodes = std::max(1.0, static_cast<double>(expert.span()) / cluster.links.front().size);
        const auto chosen = static_cast<double>(model.moe.topK);
        expert.outerShare = nodes * (1.0 - std::pow(1.0 - 1.0 / nodes, chosen)) / chosen;
    }
}

const Group& PlanGroups::of(CommGroup group) const {
    switch (group) {
        case CommGroup::context:
            return context;
        case CommGroup::contextAllToAll:
            return contextAllToAll;
        case CommGroup::expert:
            return expert;
        case CommGroup::expertTensor:
            return expertTensor;
        case CommGroup::data:
            return data;
        case CommGroup::embedding:
            return embedding;
        default:
            return tensor;
    }
}

CostVector costOf(const OpSequence& sequence, const CostModel& cost, const PlanGroups& groups, Half half,
                  bool asRecompute, std::vector<TimedOp>* detail) {
    CostVector sum;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
        const PlacedOp& placed = sequence[i];
        if (!belongsTo(half, placed)) continue;
        CostClass cls = costClassOf(placed);
        double seconds = 0.0;
        double sigma = 0.0;
        double hidden = 0.0;
        const PlacedOp* partner = nullptr;
        if (placed.group == CommGroup::none) {
            const Estimate estimate = cost.kernel(placed.op);
            seconds = placed.repeat * estimate.time.value();
            sigma = estimate.relativeSigma;
            if (asRecompute) cls = CostClass::recompute;
            sum.operators += placed.repeat;
        } else {
            const Group& group = groups.of(placed.group);
            const Estimate estimate = cost.collective(placed.op.cls, placed.op.bytes, group);
            seconds = estimate.time.value();
            partner = partnerOf(sequence, i, half);
            if (partner != nullptr) {
                hidden = seconds - exposed(placed, *partner, seconds, cost, group.size);
                seconds -= (1.0 - cost.runtime().overlapSlowdown) * hidden;
            }
            sigma = estimate.relativeSigma;
        }
        sum[cls] += seconds;
        sum.sigmaSeconds += seconds * sigma;
        if (detail == nullptr) continue;
        const std::string_view under = partner != nullptr ? std::string_view(partner->op.name) : std::string_view();
        detail->push_back({placed.op.name, placed.op.cls, seconds, hidden, under});
    }
    return sum;
}

}  // namespace orrery
