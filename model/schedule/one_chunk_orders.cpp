// Orders with one chunk a stage: GPipe, 1F1B, ZB-H1, ZB-H2.
#include <algorithm>

#include "model/schedule/order_builder.hpp"
#include "model/schedule/orders.hpp"

namespace orrery {
namespace {

/// `warmUp` forward passes, then forward and backward in turn; the weight half of a micro-batch follows `lag` backward
/// passes later, and after each backward pass once no forward pass is left.
void appendZeroBubbleStage(OrderBuilder& order, int microBatches, int warmUp, int lag) {
    int forward = 0;
    int weight = 0;
    while (forward < std::min(warmUp, microBatches)) order.forward(forward++);
    for (int backward = 0; backward < microBatches; ++backward) {
        const bool coolDown = forward == microBatches;
        if (!coolDown) order.forward(forward++);
        order.backward(backward);
        if (coolDown || backward - weight >= lag) order.weight(weight++);
    }
    while (weight < microBatches) order.weight(weight++);
    order.endStage();
}

}  // namespace

Schedule gpipe(int stages, int microBatches) {
    OrderBuilder order(stages, 1, microBatches);
    for (int stage = 0; stage < stages; ++stage) {
        for (int i = 0; i < microBatches; ++i) order.forward(i);
        for (int i = 0; i < microBatches; ++i) order.backward(i);
        order.endStage();
    }
    return order.take();
}

Schedule oneFOneB(int stages, int microBatches) {
    OrderBuilder order(stages, 1, microBatches);
    for (int stage = 0; stage < stages; ++stage) {
        const int warmUp = std::min(stages - 1 - stage, microBatches);
        for (int i = 0; i < warmUp; ++i) order.forward(i);
        for (int i = 0; i < microBatches; ++i) {
            if (warmUp + i < microBatches) order.forward(warmUp + i);
            order.backward(i);
        }
        order.endStage();
    }
    return order.take();
}

Schedule zbH1(int stages, int microBatches) {
    OrderBuilder order(stages, 1, microBatches, true);
    for (int stage = 0; stage < stages; ++stage) appendZeroBubbleStage(order, microBatches, stages - 1 - stage, stage);
    return order.take();
}

Schedule zbH2(int stages, int microBatches) {
    OrderBuilder order(stages, 1, microBatches, true);
    for (int stage = 0; stage < stages; ++stage) {
        appendZeroBubbleStage(order, microBatches, 2 * (stages - 1 - stage), 2 * stage);
    }
    return order.take();
}

}  // namespace orrery
