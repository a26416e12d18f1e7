#include "model/memory/stage_memory.hpp"

#include <algorithm>

#include "model/ops/optimizer_ops.hpp"

namespace orrery {

StateMemory stateMemory(const ModelSpec& model, const ParallelPlan& plan, const StageParameters& stage,
                        Bytes transferBytes) {
    const double ranks = static_cast<double>(plan.dp) * plan.cp;
    const double parameters = stage.total();
    const auto share = [&](Sharding from) { return plan.sharding >= from ? 1.0 / ranks : 1.0; };
    StateMemory memory;
    memory.weights = parameters * elementSize(plan.parameterType) * share(Sharding::zero3);
    memory.gradients = parameters * elementSize(plan.gradientType) * share(Sharding::zero2);
    memory.optimizer = parameters * optimizerStateSize(plan) * share(Sharding::zero1);
    if (plan.sharding >= Sharding::zero2 && ranks > 1.0) {
        const double layer = layerParameters(model, 0).perRank(plan.tp);
        const double largest = std::max({layer, stage.embedding, stage.head});
        memory.buffers += largest * elementSize(plan.gradientType);
        if (plan.sharding == Sharding::zero3) memory.buffers += (largest + layer) * elementSize(plan.parameterType);
    }
    if (plan.pp > 1) memory.buffers += 2.0 * transferBytes;
    return memory;
}

}  // namespace orrery
