#include "model/memory/activations.hpp"

#include <algorithm>

#include "model/ops/layer_ops.hpp"

namespace orrery {
namespace {

Bytes largestSaved(const OpSequence& forward) {
    Bytes largest{};
    for (const PlacedOp& op : forward) largest = std::max(largest, op.saved);
    return largest;
}

}  // namespace

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
    const Bytes residual =
        Bytes(shape.shardTokens * static_cast<double>(shape.hidden)) * elementSize(plan.parameterType).value();
    bytes.gradients = residual + largestSaved(forward);
    bytes.working = bytes.gradients;
    if (plan.recompute == Recompute::selective) {
        bytes.kept = savedBytes(forward, plan.recomputeModules);
        bytes.working += bytes.whole - bytes.kept;
    } else if (plan.recompute == Recompute::full) {
        bytes.kept = residual;
        bytes.working += bytes.whole;
    }
    return bytes;
}

Bytes headGradients(const ParallelPlan& plan, const ShardShape& shape) {
    const double logits = plan.fusedCrossEntropy ? 0.0 : static_cast<double>(shape.vocab);
    const auto tokens = static_cast<double>(shape.tokens);
    return Bytes(tokens * (logits + static_cast<double>(shape.hidden))) * elementSize(plan.parameterType).value();
}

void addWeightShapes(const OpSequence& backward, WeightShapes& shapes) {
    for (const PlacedOp& placed : backward) {
        const Op& op = placed.op;
        const bool matrix = op.cls == OpClass::gemm || op.cls == OpClass::groupedGemm;
        if (matrix && op.pass == Pass::backwardWeight) shapes.emplace(op.m, op.n);
    }
}

}  // namespace orrery
