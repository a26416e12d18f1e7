#include "model/predict/task_costs.hpp"

#include <algorithm>
#include <cstdlib>

#include "model/ops/edge_ops.hpp"
#include "model/ops/layer_ops.hpp"
#include "model/predict/sharded_comm.hpp"
#include "model/spec/stage_layout.hpp"

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

ShapeCosts costShape(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost, const PlanGroups& groups,
                     const std::vector<LayerKind>& kinds, const MicroBatch& microBatch, bool split) {
    const ShardShape shape = shardShape(model, plan, microBatch);
    ShapeCosts costs;
    for (const LayerKind& kind : kinds) {
        costs.layers.push_back(costLayer(model, plan, cost, groups, shape, kind, split));
        costs.working = std::max(costs.working, costs.layers.back().activations.working);
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

/// Gaps between operators, and what the host needs longer for launching than the device does for running.
void addHost(CostVector& task, const CostModel& cost) {
    task[CostClass::host] += cost.hostGap(task.operators).value();
    task[CostClass::host] += std::max(0.0, cost.launchTime(task.operators).value() - task.total());
}

}  // namespace

bool sendsBlock(ScheduleKind kind) {
    return kind == ScheduleKind::gpipe || kind == ScheduleKind::oneFOneB;
}

TaskCosts::TaskCosts(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost, const PlanGroups& groups,
                     const std::vector<const MicroBatch*>& shapes, const Schedule& layout)
    : virtualStages_(layout.virtualStages()),
      mirrored_(layout.mirrored()),
      split_(layout.splitBackward),
      blockingSends_(sendsBlock(plan.schedule)),
      layers_(plan.stageLayers(model.layers)) {
    mtpLayers_ = static_cast<int>(model.mtpLayers);
    mtpSlot_ = mtpSlotOf(plan);
    recomputeLayers_ = plan.recompute == Recompute::full ? plan.recomputeLayers : 0;
    mix_ = layerMix(model, layers_);
    const auto last = std::find(mix_.kinds.begin(), mix_.kinds.end(), layerKind(model, model.layers));
    mtpKind_ = static_cast<std::size_t>(last - mix_.kinds.begin());
    for (int v = 0; v < virtualStages_; ++v) stageOf_.push_back(layout.stageOf(v));
    const std::size_t rows = shapes.size() * static_cast<std::size_t>(virtualStages_);
    costs_.resize(rows * 3);
    recompute_.resize(rows);
    transfers_.resize(rows * 2);
    held_.resize(rows);
    for (const MicroBatch* microBatch : shapes) {
        const auto index = static_cast<std::uint32_t>(shapes_.size());
        shapes_.push_back(costShape(model, plan, cost, groups, mix_.kinds, *microBatch, split_));
        for (int v = 0; v < virtualStages_; ++v) fillStage(index, v, cost);
        // Each tensor-parallel rank sends its share (arXiv 2104.04473, section 4.1); with sequence parallelism it has
        // no more than that.
        const Bytes one(shapes_.back().transferBytes * sequenceShards(plan) / plan.tp);
        for (int v = 0; v + 1 < virtualStages_; ++v) {
            const auto at = static_cast<std::size_t>(v);
            const int distance = std::abs(stageOf_[at + 1] - stageOf_[at]) * groups.stageStride;
            // Behind multi-token prediction, its hidden states travel to the output layer, too.
            const Bytes bytes = v >= mtpSlot_ ? (1.0 + mtpLayers_) * one : one;
            const double time =
                distance == 0 ? 0.0 : (cost.transfer(bytes, distance).time + shapes_.back().transferGather).value();
            transfers_[row(index, v) * 2] = time;
            transfers_[row(index, v + 1) * 2 + 1] = time;
        }
    }
}

int TaskCosts::recomputed(int virtualStage, std::size_t kind) const {
    const auto v = static_cast<std::size_t>(virtualStage);
    const int layers = mix_.of(v, kind);
    if (recomputeLayers_ == 0) return layers;
    int before = 0;
    for (std::size_t earlier = 0; earlier < kind; ++earlier) before += mix_.of(v, earlier);
    return std::clamp(recomputeLayers_ - before, 0, layers);
}

void TaskCosts::fillStage(std::uint32_t shape, int virtualStage, const CostModel& cost) {
    const ShapeCosts& parts = shapes_[shape];
    const auto v = static_cast<std::size_t>(virtualStage);
    const bool first = virtualStage == 0;
    const bool last = virtualStage + 1 == virtualStages_;
    const std::size_t at = row(shape, virtualStage);
    CostVector& forward = costs_[at * 3];
    CostVector& backward = costs_[at * 3 + 1];
    CostVector& weight = costs_[at * 3 + 2];

    for (std::size_t kind = 0; kind < parts.layers.size(); ++kind) {
        const LayerCosts& layer = parts.layers[kind];
        const int layers = mix_.of(v, kind);
        const int again = recomputed(virtualStage, kind);
        forward.add(layer.forward, layers);
        backward.add(layer.recompute, again);
        held_[at] += again * layer.activations.kept.value() + (layers - again) * layer.activations.whole.value();
    }
    recompute_[at] = backward.total();
    for (std::size_t kind = 0; kind < parts.layers.size(); ++kind) {
        backward.add(parts.layers[kind].backward, mix_.of(v, kind));
        weight.add(parts.layers[kind].weight, mix_.of(v, kind));
    }
    if (first) {
        forward.add(parts.embeddingForward);
        backward.add(parts.embeddingBackward);
        held_[at] += parts.embeddingSaved.value();
    }
    if (last) {
        forward.add(parts.headForward);
        backward.add(parts.headBackward);
        weight.add(parts.headWeight);
        held_[at] += parts.headSaved.value();
    }
    if (mtpLayers_ > 0) addPrediction(shape, virtualStage);
    addHost(forward, cost);
    addHost(backward, cost);
    if (split_) addHost(weight, cost);
}

void TaskCosts::addPrediction(std::uint32_t shape, int virtualStage) {
    const ShapeCosts& parts = shapes_[shape];
    const LayerCosts& layer = parts.layers[mtpKind_];
    const std::size_t at = row(shape, virtualStage);
    const double layers = mtpLayers_;
    if (virtualStage == mtpSlot_) {
        for (const CostVector* part : {&parts.mtpForward, &layer.forward}) costs_[at * 3].add(*part, layers);
        for (const CostVector* part : {&parts.mtpBackward, &layer.recompute, &layer.backward})
            costs_[at * 3 + 1].add(*part, layers);
        costs_[at * 3 + 2].add(layer.weight, layers);
        recompute_[at] += layers * layer.recompute.total();
        held_[at] += layers * (parts.mtpSaved + layer.activations.kept).value();
    }
    if (virtualStage == virtualStages_ - 1) {
        costs_[at * 3].add(parts.headForward, layers);
        costs_[at * 3 + 1].add(parts.headBackward, layers);
        costs_[at * 3 + 2].add(parts.headWeight, layers);
        held_[at] += layers * parts.headSaved.value();
    }
}

TaskTimes TaskCosts::times(const std::vector<std::uint32_t>& shapeOf, const std::vector<double>& stageSpeed) const {
    TaskTimes times(virtualStages_, shapes_.size(), shapeOf);
    times.blockingSends = blockingSends_;
    times.transfer = transfers_;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
        const std::size_t v = i / 3 % static_cast<std::size_t>(virtualStages_);
        double speed = stageSpeed.empty() ? 1.0 : stageSpeed[static_cast<std::size_t>(stageOf_[v])];
        if (mirrored_ && !stageSpeed.empty()) speed = std::min(speed, stageSpeed[stageSpeed.size() - 1 - v]);
        const double total = costs_[i].total();
        times.duration[i] = speed == 1.0 ? total : total + costs_[i].work() * (1.0 / speed - 1.0);
    }
    return times;
}

}  // namespace orrery
