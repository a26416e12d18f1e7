#include "model/memory/stage_memory.hpp"

#include <algorithm>

#include "model/ops/optimizer_ops.hpp"

namespace orrery {

StateMemory stateMemory(const ModelSpec& model, const ParallelPlan& plan, const StageParameters& stage,
                        Bytes transferBytes) {
    const double ranks = plan.shardRanks > 0 ? plan.shardRanks : plan.dataRanks();
    const double expertRanks = plan.expertDataRanks();
    // Parameters whose state of a kind this rank holds, when a ZeRO stage divides that kind.
    const auto held = [&](Sharding from) {
        return plan.sharding >= from ? stage.outsideExperts() / ranks + stage.experts / expertRanks : stage.total();
    };
    StateMemory memory;
    memory.weights = held(Sharding::zero3) * elementSize(plan.parameterType);
    memory.gradients = held(Sharding::zero2) * elementSize(plan.gradientType);
    memory.optimizer = held(Sharding::zero1) * optimizerStateSize(plan);
    if (plan.sharding >= Sharding::zero2 && ranks > 1.0) {
        const ParameterCount one = layerParameters(model, layerKind(model, model.layers - 1));
        const double layer = one.perRank(plan.tp) + one.experts / (static_cast<double>(plan.ep) * plan.etp);
        const double largest = std::max({layer, stage.embedding, stage.head});
        memory.buffers += largest * elementSize(plan.gradientType);
        if (plan.sharding == Sharding::zero3) memory.buffers += (largest + layer) * elementSize(plan.parameterType);
    }
    if (plan.pp > 1) memory.buffers += 2.0 * transferBytes;
    return memory;
}

}  // namespace orrery
