#include "model/predict/task_costs.hpp"

#include <algorithm>
#include <cstdlib>

#include "model/spec/stage_layout.hpp"

namespace orrery {
namespace {

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
                     const std::vector<const MicroBatch*>& shapes, const Schedule& layout, PredictMemo& memo)
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
        shapes_.push_back(memo.shape(model, plan, cost, groups, mix_.kinds, *microBatch, split_));
        for (int v = 0; v < virtualStages_; ++v) fillStage(index, v, cost);
        // Each tensor-parallel rank sends its share (arXiv 2104.04473, section 4.1); with sequence parallelism it has
        // no more than that.
        const Bytes one(shapes_.back()->transferBytes * sequenceShards(plan) / plan.tp);
        for (int v = 0; v + 1 < virtualStages_; ++v) {
            const auto at = static_cast<std::size_t>(v);
            const int distance = std::abs(stageOf_[at + 1] - stageOf_[at]) * groups.stageStride;
            // Behind multi-token prediction, its hidden states travel to the output layer, too.
            const Bytes bytes = v >= mtpSlot_ ? (1.0 + mtpLayers_) * one : one;
            const double time =
                distance == 0 ? 0.0 : (cost.transfer(bytes, distance).time + shapes_.back()->transferGather).value();
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
    const ShapeCosts& parts = *shapes_[shape];
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
    const ShapeCosts& parts = *shapes_[shape];
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
