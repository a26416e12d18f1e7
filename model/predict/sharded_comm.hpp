// Communication of sharded data parallelism inside the tasks of a micro-batch (ZeRO-2 and ZeRO-3 / FSDP).
#pragma once

#include "model/predict/task_costs.hpp"

namespace orrery {

/// Adds to the costs of a layer and of the edges (embedding, head). ZeRO-3 gathers a layer's weights before its forward
/// and again before its backward pass and reduces its gradients after it; ZeRO-2 only reduces. With overlap a layer's
/// collectives run beside the computation of its neighbour: in the open is what exceeds one layer's time. Embedding and
/// head are FSDP's root unit, gathered before anything runs and reduced after everything has: all in the open.
/// Layers of kind `kinds[i]` cost `costs.layers[i]`. HSDP gathers and scatters inside its shard group and sums the
/// shards over the replicas; experts are sharded over the ranks that hold the same ones.
void addShardedComm(ShapeCosts& costs, const std::vector<LayerKind>& kinds, const ModelSpec& model,
                    const ParallelPlan& plan, const CostModel& cost, const PlanGroups& groups);

}  // namespace orrery
