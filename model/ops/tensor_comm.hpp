// The collectives of tensor parallelism around column- and row-parallel layers.
// Megatron-LM (arXiv 1909.08053, section 3): all-reduces. With sequence parallelism (Korthikanti et al. 2022, arXiv
// 2205.05198, section 4.2.2): all-gathers into, reduce-scatters out of the tensor-parallel region.
#pragma once

#include "model/ops/placed_op.hpp"
#include "model/ops/shard_shape.hpp"

namespace orrery {

/// Appends collectives of one micro-batch's hidden states. Does nothing for tp = 1.
class TensorComm {
  public:
    TensorComm(const ParallelPlan& plan, double hiddenBytes)
        : bytes_(hiddenBytes), active_(plan.tp > 1), sequence_(plan.sequenceParallel), sliced_(plan.overlapTp) {}

    /// Before a column-parallel layer's forward.
    void enterColumn(OpSequence& out, std::string_view name) const;
    /// After a row-parallel layer's forward.
    void leaveRow(OpSequence& out, std::string_view name) const;
    /// Before a row-parallel layer's backward.
    void enterRowBackward(OpSequence& out, std::string_view name) const;
    /// Before a column-parallel layer's input gradient: its input is gathered again for the weight gradient.
    void regatherColumn(OpSequence& out, std::string_view name) const;
    /// After a column-parallel layer's input gradient; hidden under the weight gradient where that follows.
    void leaveColumnBackward(OpSequence& out, std::string_view name) const;

  private:
    double bytes_;
    bool active_, sequence_, sliced_;
};

}  // namespace orrery
