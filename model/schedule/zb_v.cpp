#include <algorithm>

#include "model/schedule/order_builder.hpp"
#include "model/schedule/orders.hpp"

namespace orrery {
namespace {

/// Appends the passes of one stage, each kind and chunk in order of the micro-batches; those that do not exist are left
/// out.
class StagePasses {
  public:
    StagePasses(OrderBuilder& order, int microBatches) : order_(order), microBatches_(microBatches) {}

    void forward(int chunk) {
        const int i = forwards[chunk]++;
        if (i < microBatches_) order_.forward(i, chunk);
    }
    void backward(int chunk) {
        const int i = backwards[chunk]++;
        if (i < microBatches_) order_.backward(i, chunk);
    }
    void weight(int chunk) {
        const int i = weights[chunk]++;
        if (i < microBatches_) order_.weight(i, chunk);
    }

    int forwards[2] = {0, 0};
    int backwards[2] = {0, 0};
    int weights[2] = {0, 0};

  private:
    OrderBuilder& order_;
    int microBatches_;
};

void appendStage(StagePasses& pass, int stages, int stage, int filled) {
    const auto repeat = [](int times, const auto& passes) {
        for (int i = 0; i < times; ++i) passes();
    };
    const auto wholeBackward = [&](int chunk) {
        pass.backward(chunk);
        pass.weight(chunk);
    };
    repeat(2 * (stages - stage) - 1, [&] { pass.forward(0); });
    repeat(stage, [&] {
        pass.forward(1);
        pass.forward(0);
    });
    repeat(stages - stage, [&] {
        pass.forward(1);
        wholeBackward(1);
    });
    while (pass.forwards[1] < filled) {
        if (pass.forwards[0] < filled) pass.forward(0);
        wholeBackward(0);
        pass.forward(1);
        wholeBackward(1);
    }
    repeat(stage, [&] {
        pass.backward(0);
        pass.backward(1);
    });
    repeat(stages - stage, [&] { wholeBackward(0); });
    while (pass.weights[1] < filled) pass.weight(1);
    while (pass.weights[0] < filled) pass.weight(0);
}

}  // namespace

Schedule zbV(int stages, int microBatches) {
    OrderBuilder order(stages, 2, microBatches, true, Placement::vee);
    const int filled = std::max(microBatches, 2 * stages - 1);
    for (int stage = 0; stage < stages; ++stage) {
        StagePasses pass(order, microBatches);
        appendStage(pass, stages, stage, filled);
        order.endStage();
    }
    return order.take();
}

}  // namespace orrery
