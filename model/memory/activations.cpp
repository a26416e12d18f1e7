#include "model/memory/activations.hpp"

#include "model/ops/edge_ops.hpp"
#include "model/ops/layer_ops.hpp"

namespace orrery {

Bytes savedBytes(const OpSequence& forward, bool withoutCore) {
    Bytes sum{};
    for (const PlacedOp& op : forward) {
        if (!(withoutCore && op.attentionCore)) sum += op.saved;
    }
    return sum;
}

ActivationBytes activationBytes(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape) {
    const OpSequence forward = layerForward(model, plan, shape);
    const Bytes all = savedBytes(forward, false);
    ActivationBytes bytes;
    switch (plan.recompute) {
        case Recompute::none:
            bytes.layer = all;
            break;
        case Recompute::selective:
            bytes.layer = savedBytes(forward, true);
            bytes.working = all - bytes.layer;
            break;
        case Recompute::full:
            bytes.layer =
                Bytes(shape.shardTokens * static_cast<double>(shape.hidden)) * elementSize(plan.parameterType).value();
            bytes.working = all;
            break;
    }
    bytes.embedding = savedBytes(embeddingForward(model, plan, shape), false);
    bytes.head = savedBytes(headForward(model, plan, shape), false);
    return bytes;
}

}  // namespace orrery
