#include "model/predict/shape_costs.hpp"

#include <algorithm>

#include "model/ops/edge_ops.hpp"
#include "model/ops/layer_ops.hpp"
#include "model/predict/sharded_comm.hpp"

namespace orrery {
namespace {

/// Time of kernels of a sequence, those of shared experts or all, beside which no collective runs yet.
double freeKernelTime(const std::vector<TimedOp>& ops, bool sharedExperts) {
    double seconds = 0.0;
    for (const TimedOp& op : ops) {
        if (isCollective(op.cls)) {
            if (!sharedExperts || op.under.starts_with("shared_")) seconds -= op.hidden;
        } else if (!sharedExperts || op.name.starts_with("shared_")) {
            seconds += op.seconds;
        }
    }
    return std::max(0.0, seconds);
}

/// Takes out of the expert exchange what runs beside the shared experts or beside a neighbouring micro-batch. `joined`:
/// time of kernels outside of the sequence that a neighbouring micro-batch brings along.
void hideExpertExchange(CostVector& cost, const ParallelPlan& plan, const std::vector<TimedOp>& ops, double joined,
                        double slowdown) {
    if (plan.ep == 1 || plan.expertOverlap == ExpertOverlap::none) return;
    double& exchange = cost[CostClass::expertComm];
    const bool sharedExperts = plan.expertOverlap == ExpertOverlap::sharedExperts;
    const double beside = freeKernelTime(ops, sharedExperts) + (sharedExperts ? 0.0 : joined);
    exchange -= (1.0 - slowdown) * std::min(exchange, beside);
}

CostVector layerCost(const OpSequence& sequence, const ParallelPlan& plan, const CostModel& cost,
                     const PlanGroups& groups, Half half, double joined = 0.0) {
    const bool wantsOps = plan.ep > 1 && plan.expertOverlap != ExpertOverlap::none;
    std::vector<TimedOp> ops;
    CostVector sum = costOf(sequence, cost, groups, half, false, wantsOps ? &ops : nullptr);
    hideExpertExchange(sum, plan, ops, joined, std::min(1.0, cost.runtime().overlapSlowdown));
    return sum;
}

LayerCosts costLayer(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost, const PlanGroups& groups,
                     const ShardShape& shape, const LayerKind& kind, bool split) {
    LayerCosts costs;
    costs.forward = layerCost(layerForward(model, plan, shape, kind), plan, cost, groups, Half::both);
    costs.recompute = costOf(layerRecompute(model, plan, shape, kind), cost, groups, Half::both, true);
    const OpSequence backward = layerBackward(model, plan, shape, kind);
    if (split) costs.weight = layerCost(backward, plan, cost, groups, Half::weight);
    // DualPipe joins the weight half to the passes whose exchange it hides.
    const bool dual = plan.schedule == ScheduleKind::dualPipe || plan.schedule == ScheduleKind::dualPipeV;
    costs.backward =
        layerCost(backward, plan, cost, groups, split ? Half::input : Half::both, dual ? costs.weight.work() : 0.0);
    if (kind.feedForward == FeedForward::experts && model.moe.capacityFactor == 0.0)
        costs.forward[CostClass::host] += cost.runtime().expertSync.value();
    costs.activations = layerActivations(model, plan, shape, kind);
    return costs;
}

double elements(const WeightShapes& shapes) {
    double sum = 0.0;
    for (const auto& [rows, columns] : shapes) sum += static_cast<double>(rows) * static_cast<double>(columns);
    return sum;
}

}  // namespace

ShapeCosts shapeCosts(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost, const PlanGroups& groups,
                      const std::vector<LayerKind>& kinds, const MicroBatch& microBatch, bool split) {
    const ShardShape shape = shardShape(model, plan, microBatch);
    const bool placeholders = cost.runtime().weightGradientPlaceholders;
    ShapeCosts costs;
    WeightShapes weights;
    for (const LayerKind& kind : kinds) {
        costs.layers.push_back(costLayer(model, plan, cost, groups, shape, kind, split));
        costs.working = std::max(costs.working, costs.layers.back().activations.working);
        if (placeholders) addWeightShapes(layerBackward(model, plan, shape, kind), weights);
    }
    const OpSequence embedding = embeddingForward(model, plan, shape);
    const OpSequence head = headForward(model, plan, shape);
    const OpSequence headBack = headBackward(model, plan, shape);
    costs.embeddingForward = costOf(embedding, cost, groups);
    costs.embeddingBackward = costOf(embeddingBackward(model, plan, shape), cost, groups);
    costs.headForward = costOf(head, cost, groups);
    costs.headBackward = costOf(headBack, cost, groups, split ? Half::input : Half::both);
    if (split) costs.headWeight = costOf(headBack, cost, groups, Half::weight);
    costs.embeddingSaved = savedBytes(embedding);
    costs.headSaved = savedBytes(head);
    costs.headWorking = headGradients(plan, shape);
    const Bytes element = elementSize(plan.parameterType);
    costs.placeholders = elements(weights) * element;
    if (placeholders) addWeightShapes(headBack, weights);
    costs.headPlaceholder = elements(weights) * element - costs.placeholders;
    if (model.mtpLayers > 0) {
        const OpSequence ahead = mtpForward(model, plan, shape);
        costs.mtpForward = costOf(ahead, cost, groups);
        costs.mtpBackward = costOf(mtpBackward(model, plan, shape), cost, groups);
        costs.mtpSaved = savedBytes(ahead);
    }
    addShardedComm(costs, kinds, model, plan, cost, groups);
    costs.transferBytes =
        shape.shardTokens * static_cast<double>(shape.hidden) * elementSize(plan.parameterType).value();
    if (plan.tp > sequenceShards(plan)) {
        costs.transferGather = cost.collective(OpClass::allGather, Bytes(costs.transferBytes), groups.tensor).time;
    }
    return costs;
}

ParallelPlan plainOfParts(const ParallelPlan& plan, const ModelSpec& model, bool split) {
    ParallelPlan key = plan;
    key.pp = model.tiedEmbeddings && plan.pp == 1 ? 1 : 2;
    key.vpp = 1;
    if (plan.sharding < Sharding::zero2) {  // gradients and weights move at the end of the step only
        key.dp = 1;
        key.shardRanks = 0;
        key.sharding = Sharding::zero0;
    }
    key.layersPerStage.clear();
    key.embeddingAsLayer = key.lossAsLayer = false;
    key.firstStageLayers = key.lastStageLayers = 0;
    key.mtpSlot = -1;
    key.order.clear();
    key.orderPlacement = Placement::loop;
    key.recomputeLayers = 0;
    key.clipGradients = true;
    const bool dual = plan.schedule == ScheduleKind::dualPipe || plan.schedule == ScheduleKind::dualPipeV;
    key.schedule = dual ? ScheduleKind::dualPipe : split ? ScheduleKind::zbH1 : ScheduleKind::oneFOneB;
    return key;
}

}  // namespace orrery
