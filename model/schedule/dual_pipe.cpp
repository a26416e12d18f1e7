#include <algorithm>
#include <deque>

#include "model/schedule/order_builder.hpp"
#include "model/schedule/orders.hpp"

namespace orrery {
namespace {

/// One device of DualPipe. Its two directions are `near`, whose micro-batches reach it first, and `far`.
class DualStage {
  public:
    /// `step`: 2 where the two directions take turns of the micro-batches, 1 where all micro-batches pass both.
    DualStage(OrderBuilder& order, int microBatches, int nearChunk, int step)
        : order_(order), microBatches_(microBatches), nearChunk_(nearChunk), step_(step) {}

    /// The eight parts of the order in DeepSeek's implementation. `half`: devices of half the pipeline; `depth`: of
    /// this device from the nearer end; `filled`: passes of each direction, missing ones included.
    void append(int half, int depth, int filled) {
        const int toMiddle = half - depth - 1;
        for (int i = 0; i < 2 * toMiddle; ++i) forward(kNear);
        for (int i = 0; i <= depth; ++i) {
            forward(kNear);
            forward(kFar);
        }
        for (int i = 0; i < toMiddle; ++i) {
            backward(kFar, true);
            weight();
            forward(kFar);
        }
        for (int i = 0; i < filled - 2 * half + depth + 1; ++i) {
            // The middle devices do not join their first two passes: the other direction's input comes sooner so.
            pair(kNear, kFar, i > 0 || toMiddle > 0);
            pair(kFar, kNear, true);
        }
        for (int i = 0; i < toMiddle; ++i) {
            backward(kFar, false);
            pair(kFar, kNear, true);
        }
        // The last backward passes of both directions; the weight halves of the second half wait.
        for (int i = 0; i < 2 * (depth + 1); ++i) backward(i % 2 == 0 ? kFar : kNear, i > depth);
        for (int i = 0; i < toMiddle; ++i) {
            weight();
            backward(kNear, true);
        }
        for (int i = 0; i <= depth; ++i) weight();
    }

  private:
    static constexpr int kNear = 0;
    static constexpr int kFar = 1;
    struct Pass {
        int microBatch, chunk;
    };

    [[nodiscard]] Pass passOf(int direction, int k) const {
        const int chunk = direction == kNear ? nearChunk_ : 1 - nearChunk_;
        return {step_ * k + (step_ == 2 ? chunk : 0), chunk};
    }
    [[nodiscard]] bool exists(const Pass& pass) const { return pass.microBatch < microBatches_; }

    void forward(int direction) {
        const Pass pass = passOf(direction, forwards_[direction]++);
        if (exists(pass)) order_.forward(pass.microBatch, pass.chunk);
    }
    /// Whole, or its input half with the weight half in the queue.
    void backward(int direction, bool weightLater) {
        const Pass pass = passOf(direction, backwards_[direction]++);
        if (exists(pass)) order_.backward(pass.microBatch, pass.chunk);
        if (weightLater) {
            waiting_.push_back(pass);
        } else if (exists(pass)) {
            order_.join();
            order_.weight(pass.microBatch, pass.chunk);
        }
    }
    void pair(int forwardOf, int backwardOf, bool joined) {
        const bool both =
            exists(passOf(forwardOf, forwards_[forwardOf])) && exists(passOf(backwardOf, backwards_[backwardOf]));
        forward(forwardOf);
        if (joined && both) order_.join();
        backward(backwardOf, false);
    }
    void weight() {
        const Pass pass = waiting_.front();
        waiting_.pop_front();
        if (exists(pass)) order_.weight(pass.microBatch, pass.chunk);
    }

    OrderBuilder& order_;
    int microBatches_, nearChunk_, step_;
    int forwards_[2] = {0, 0};
    int backwards_[2] = {0, 0};
    std::deque<Pass> waiting_;  ///< weight halves to come, first in, first out
};

}  // namespace

Schedule dualPipe(int stages, int microBatches) {
    OrderBuilder order(stages, 2, microBatches, true, Placement::mirror);
    const int filled = std::max((microBatches + 1) / 2, stages);
    for (int stage = 0; stage < stages; ++stage) {
        const bool firstHalf = stage < stages / 2;
        DualStage(order, microBatches, firstHalf ? 0 : 1, 2)
            .append(stages / 2, firstHalf ? stage : stages - 1 - stage, filled);
        order.endStage();
    }
    return order.take();
}

Schedule dualPipeV(int stages, int microBatches) {
    OrderBuilder order(stages, 2, microBatches, true, Placement::vee);
    const int filled = std::max(microBatches, 2 * stages);
    for (int stage = 0; stage < stages; ++stage) {
        DualStage(order, microBatches, 0, 1).append(stages, stage, filled);
        order.endStage();
    }
    return order.take();
}

}  // namespace orrery
