#include "model/memory/activations.hpp"

#include "model/ops/layer_ops.hpp"

namespace orrery {

Bytes savedBytes(const OpSequence& forward, unsigned modules) {
    Bytes sum{};
    for (const PlacedOp& op : forward) {
        if ((op.savedModules & modules) == 0) sum += op.saved;
    }
    return sum;
}

LayerActivations layerActivations(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                                  const LayerKind& kind) {
    const OpSequence forward = layerForward(model, plan, shape, kind);
    LayerActivations bytes;
    bytes.whole = savedBytes(forward);
    bytes.kept = bytes.whole;
    if (plan.recompute == Recompute::selective) {
        bytes.kept = savedBytes(forward, plan.recomputeModules);
        bytes.working = bytes.whole - bytes.kept;
    } else if (plan.recompute == Recompute::full) {
        bytes.kept =
            Bytes(shape.shardTokens * static_cast<double>(shape.hidden)) * elementSize(plan.parameterType).value();
        bytes.working = bytes.whole;
    }
    return bytes;
}

}  // namespace orrery
