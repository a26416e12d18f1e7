// The part of the model that one process holds: some layers, the embedding on the first stage, the loss on the last.
#pragma once

#include <functional>
#include <vector>

#include "profiler/workload/batch.hpp"
#include "profiler/workload/block.hpp"

namespace orrery::workload {

class Stage {
  public:
    Stage(const JobConfig& config, int stage);

    /// Runs a micro-batch forward. `x` is the previous stage's output (ignored on the first stage) and becomes this
    /// stage's; on the last stage the loss is computed and added to loss().
    void forward(const MicroBatch& microBatch, int slot, const Tokens& tokens, Matrix& x);
    /// Runs it backward. `dx` is the gradient of this stage's output (ignored on the last stage) and becomes that of
    /// its input.
    void backward(const MicroBatch& microBatch, int slot, const Tokens& tokens, Matrix& dx);

    void forEachParameter(const std::function<void(Parameter&)>& visit);
    [[nodiscard]] double loss() const { return loss_; }
    /// Clears the loss; from here on it and its gradients are times `lossScale`. Gradients are 0 after construction and
    /// after an optimizer step.
    void startStep(float lossScale);
    [[nodiscard]] bool isFirst() const { return stage_ == 0; }
    [[nodiscard]] bool isLast() const { return stage_ + 1 == stages_; }

  private:
    struct Saved {
        std::vector<BlockActivations> blocks;
        Matrix final, finalNormed, logits;
        std::vector<float> inverseRms, logSums;
    };

    int stage_, stages_;
    std::vector<Block> blocks_;
    Parameter embedding_, finalNorm_, output_;
    std::vector<Saved> slots_;  ///< by micro-batch in flight
    Matrix scratch_;
    float lossScale_ = 1.0F;
    double loss_ = 0.0;
};

}  // namespace orrery::workload
