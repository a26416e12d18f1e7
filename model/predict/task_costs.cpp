#include "model/predict/task_costs.hpp"

#include <cstdlib>

#include "model/ops/edge_ops.hpp"
#include "model/ops/layer_ops.hpp"
#include "model/predict/sharded_comm.hpp"

namespace orrery {
namespace {

ShapeCosts costShape(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost, const PlanGroups& groups,
                     const MicroBatch& microBatch, bool split) {
    const ShardShape shape = shardShape(model, plan, microBatch);
    const Half first = split ? Half::input : Half::both;
    ShapeCosts costs;
    costs.layerForward = costOf(layerForward(model, plan, shape), cost, groups);
    costs.layerRecompute = costOf(layerRecompute(model, plan, shape), cost, groups, Half::both, true);
    const OpSequence backward = layerBackward(model, plan, shape);
    costs.layerBackward = costOf(backward, cost, groups, first);
    costs.embeddingForward = costOf(embeddingForward(model, plan, shape), cost, groups);
    costs.embeddingBackward = costOf(embeddingBackward(model, plan, shape), cost, groups);
    costs.headForward = costOf(headForward(model, plan, shape), cost, groups);
    const OpSequence headBack = headBackward(model, plan, shape);
    costs.headBackward = costOf(headBack, cost, groups, first);
    if (split) {
        costs.layerWeight = costOf(backward, cost, groups, Half::weight);
        costs.headWeight = costOf(headBack, cost, groups, Half::weight);
    }
    addShardedComm(costs, model, plan, cost, groups);
    costs.activations = activationBytes(model, plan, shape);
    costs.transferBytes =
        shape.shardTokens * static_cast<double>(shape.hidden) * elementSize(plan.parameterType).value();
    if (plan.tp > sequenceShards(plan)) {
        costs.transferGather = cost.collective(OpClass::allGather, Bytes(costs.transferBytes), groups.tensor).time;
    }
    return costs;
}

}  // namespace

bool sendsBlock(ScheduleKind kind) {
    return kind == ScheduleKind::gpipe || kind == ScheduleKind::oneFOneB;
}

TaskCosts::TaskCosts(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost, const PlanGroups& groups,
                     const std::vector<const MicroBatch*>& shapes, const Schedule& layout)
    : virtualStages_(layout.virtualStages()),
      split_(layout.splitBackward),
      blockingSends_(sendsBlock(plan.schedule)),
      layers_(plan.stageLayers(model.layers)) {
    for (int v = 0; v < virtualStages_; ++v) stageOf_.push_back(layout.stageOf(v));
    const std::size_t rows = shapes.size() * static_cast<std::size_t>(virtualStages_);
    costs_.resize(rows * 3);
    recompute_.resize(rows);
    transfers_.resize(rows * 2);
    held_.resize(rows);
    for (const MicroBatch* microBatch : shapes) {
        const auto index = static_cast<std::uint32_t>(shapes_.size());
        shapes_.push_back(costShape(model, plan, cost, groups, *microBatch, split_));
        for (int v = 0; v < virtualStages_; ++v) fillStage(index, v, cost);
        // Each tensor-parallel rank sends its share (arXiv 2104.04473, section 4.1); with sequence parallelism it has
        // no more than that.
        const Bytes bytes(shapes_.back().transferBytes * sequenceShards(plan) / plan.tp);
        for (int v = 0; v + 1 < virtualStages_; ++v) {
            const auto at = static_cast<std::size_t>(v);
            const int distance = std::abs(stageOf_[at + 1] - stageOf_[at]) * groups.stageStride;
            const double time =
                distance == 0 ? 0.0 : (cost.transfer(bytes, distance).time + shapes_.back().transferGather).value();
            transfers_[row(index, v) * 2] = time;
            transfers_[row(index, v + 1) * 2 + 1] = time;
        }
    }
}

void TaskCosts::fillStage(std::uint32_t shape, int virtualStage, const CostModel& cost) {
    const ShapeCosts& parts = shapes_[shape];
    const double layers = layers_[static_cast<std::size_t>(virtualStage)];
    const bool first = virtualStage == 0;
    const bool last = virtualStage + 1 == virtualStages_;
    const std::size_t at = row(shape, virtualStage);

    CostVector& forward = costs_[at * 3];
    forward.add(parts.layerForward, layers);
    if (first) forward.add(parts.embeddingForward);
    if (last) forward.add(parts.headForward);

    CostVector& backward = costs_[at * 3 + 1];
    CostVector& weight = costs_[at * 3 + 2];
    backward.add(parts.layerRecompute, layers);
    recompute_[at] = backward.total();
    backward.add(parts.layerBackward, layers);
    weight.add(parts.layerWeight, layers);
    if (first) backward.add(parts.embeddingBackward);
    if (last) backward.add(parts.headBackward);
    if (last) weight.add(parts.headWeight);

    forward[CostClass::host] += cost.hostGap(forward.operators).value();
    backward[CostClass::host] += cost.hostGap(backward.operators).value();
    if (split_) weight[CostClass::host] += cost.hostGap(weight.operators).value();

    const ActivationBytes& bytes = parts.activations;
    held_[at] =
        layers * bytes.layer.value() + (first ? bytes.embedding.value() : 0.0) + (last ? bytes.head.value() : 0.0);
}

TaskTimes TaskCosts::times(const std::vector<std::uint32_t>& shapeOf, const std::vector<double>& stageSpeed) const {
    TaskTimes times(virtualStages_, shapes_.size(), shapeOf);
    times.blockingSends = blockingSends_;
    times.transfer = transfers_;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
        const std::size_t v = i / 3 % static_cast<std::size_t>(virtualStages_);
        const double speed = stageSpeed.empty() ? 1.0 : stageSpeed[static_cast<std::size_t>(stageOf_[v])];
        const double total = costs_[i].total();
        times.duration[i] = speed == 1.0 ? total : total + costs_[i].work() * (1.0 / speed - 1.0);
    }
    return times;
}

}  // namespace orrery
