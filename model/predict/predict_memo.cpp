#include "model/predict/predict_memo.hpp"

#include <initializer_list>
#include <utility>

namespace orrery {
namespace {

/// Of what differs most between the plans of a search; equality looks at everything.
std::size_t hashOf(const ParallelPlan& plan, const std::vector<std::int64_t>& documents) {
    std::size_t hash = documents.size();
    const auto mix = [&hash](std::uint64_t value) {
        hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
    };
    for (const int size : {plan.tp, plan.pp, plan.dp, plan.cp, plan.ep, plan.etp, plan.cpAllToAll, plan.shardRanks,
                           static_cast<int>(plan.recompute), static_cast<int>(plan.sharding),
                           static_cast<int>(plan.schedule), static_cast<int>(plan.recomputeModules)})
        mix(static_cast<std::uint64_t>(size));
    for (const std::int64_t length : documents) mix(static_cast<std::uint64_t>(length));
    return hash;
}

}  // namespace

std::shared_ptr<const ShapeCosts> PredictMemo::shape(const ModelSpec& model, const ParallelPlan& plan,
                                                     const CostModel& cost, const PlanGroups& groups,
                                                     const std::vector<LayerKind>& kinds, const MicroBatch& microBatch,
                                                     bool split) {
    ParallelPlan plain = plainOfParts(plan, model, split);
    std::vector<Parts>& known = parts_[hashOf(plain, microBatch.documents)];
    for (const Parts& parts : known) {
        if (parts.documents == microBatch.documents && parts.plan == plain) return parts.costs;
    }
    auto costs = std::make_shared<const ShapeCosts>(shapeCosts(model, plan, cost, groups, kinds, microBatch, split));
    known.push_back({std::move(plain), microBatch.documents, costs});
    return costs;
}

std::shared_ptr<const Schedule> PredictMemo::schedule(const ParallelPlan& plan, int microBatches) {
    if (plan.schedule == ScheduleKind::given) return std::make_shared<const Schedule>(makeSchedule(plan, microBatches));
    const ScheduleShape shape{plan.schedule, plan.pp, plan.vpp, microBatches};
    if (last_ == nullptr || shape != lastShape_) {
        last_ = std::make_shared<const Schedule>(makeSchedule(plan, microBatches));
        lastShape_ = shape;
    }
    return last_;
}

const InFlight& PredictMemo::inFlight(const ParallelPlan& plan, int microBatches) {
    if (plan.schedule == ScheduleKind::given) {
        ofGivenOrder_ = InFlight(makeSchedule(plan, microBatches));
        return ofGivenOrder_;
    }
    const int enough = microBatchesUntilSteady(plan.schedule, plan.pp, microBatches);
    const ScheduleShape shape{plan.schedule, plan.pp, plan.vpp, enough};
    const auto known = inFlight_.find(shape);
    if (known != inFlight_.end()) return known->second;
    InFlight held = plan.schedule == ScheduleKind::oneFOneB ? InFlight::oneFOneB(plan.pp, enough)
                                                            : InFlight(*schedule(plan, enough));
    return inFlight_.emplace(shape, std::move(held)).first->second;
}

}  // namespace orrery
