// Costs of the tasks of a step: each distinct micro-batch shape and each kind of layer is costed once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/predict/predict_memo.hpp"
#include "model/predict/shape_costs.hpp"
#include "model/schedule/simulate.hpp"

namespace orrery {

/// Costs of every (shape, virtual stage, kind). With a split backward, `backward` is the input half.
class TaskCosts {
  public:
    /// `shapes` are the distinct micro-batches. Costs of parts that `memo` knows are taken from there.
    TaskCosts(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost, const PlanGroups& groups,
              const std::vector<const MicroBatch*>& shapes, const Schedule& layout, PredictMemo& memo);

    [[nodiscard]] const CostVector& of(std::uint32_t shape, int virtualStage, TaskKind kind) const {
        return costs_[row(shape, virtualStage) * 3 + static_cast<std::size_t>(kind)];
    }
    /// Part of `backward` that repeats the forward pass.
    [[nodiscard]] double recompute(std::uint32_t shape, int virtualStage) const {
        return recompute_[row(shape, virtualStage)];
    }
    [[nodiscard]] double transfer(std::uint32_t shape, int virtualStage, int direction) const {
        return transfers_[row(shape, virtualStage) * 2 + static_cast<std::size_t>(direction)];
    }
    /// Activation bytes that a micro-batch of a shape holds, [shape * virtualStages + virtualStage].
    [[nodiscard]] const std::vector<double>& heldBytes() const { return held_; }
    [[nodiscard]] const ShapeCosts& shape(std::uint32_t index) const { return *shapes_[index]; }
    [[nodiscard]] std::size_t shapes() const { return shapes_.size(); }
    [[nodiscard]] const std::vector<int>& layers() const { return layers_; }
    [[nodiscard]] const LayerMix& mix() const { return mix_; }
    /// Layers of a kind on a virtual stage that are recomputed.
    [[nodiscard]] int recomputed(int virtualStage, std::size_t kind) const;

    /// Times for the simulation of one replica; `stageSpeed` stretches the work of slow stages (empty: all 1).
    [[nodiscard]] TaskTimes times(const std::vector<std::uint32_t>& shapeOf,
                                  const std::vector<double>& stageSpeed) const;

  private:
    [[nodiscard]] std::size_t row(std::uint32_t shape, int virtualStage) const {
        return static_cast<std::size_t>(shape) * static_cast<std::size_t>(virtualStages_) +
               static_cast<std::size_t>(virtualStage);
    }
    void fillStage(std::uint32_t shape, int virtualStage, const CostModel& cost);
    void addPrediction(std::uint32_t shape, int virtualStage);

    int virtualStages_;
    int mtpLayers_;
    int mtpSlot_;
    std::size_t mtpKind_;  ///< index into mix_.kinds
    int recomputeLayers_;  ///< per virtual stage; 0: all
    LayerMix mix_;         ///< per virtual stage
    bool mirrored_;        ///< a part of the model is as slow as the slower of its two copies
    bool split_, blockingSends_;
    std::vector<int> layers_;   ///< per virtual stage
    std::vector<int> stageOf_;  ///< per virtual stage
    std::vector<std::shared_ptr<const ShapeCosts>> shapes_;
    std::vector<CostVector> costs_;
    std::vector<double> recompute_, transfers_, held_;
};

/// Megatron's GPipe and 1F1B send and receive in lock step; interleaved and zero-bubble schedules send in the
/// background.
[[nodiscard]] bool sendsBlock(ScheduleKind kind);

}  // namespace orrery
