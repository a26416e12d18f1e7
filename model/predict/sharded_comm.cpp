#include "model/predict/sharded_comm.hpp"

#include <algorithm>

#include "model/spec/parameter_counts.hpp"

namespace orrery {
namespace {

struct ShardedCosts {
    double gather = 0.0, reduce = 0.0;
    double sigma = 0.0;
};

ShardedCosts shardedCosts(double parameters, const ParallelPlan& plan, const CostModel& cost, const Group& data) {
    ShardedCosts costs;
    const Estimate reduce = cost.collective(OpClass::reduceScatter, parameters * elementSize(plan.gradientType), data);
    costs.reduce = reduce.time.value();
    costs.sigma = reduce.relativeSigma;
    if (plan.sharding == Sharding::zero3) {
        costs.gather =
            cost.collective(OpClass::allGather, parameters * elementSize(plan.parameterType), data).time.value();
    }
    return costs;
}

void addComm(CostVector& cost, double seconds, double sigma) {
    cost[CostClass::dataComm] += seconds;
    cost.sigmaSeconds += seconds * sigma;
}

}  // namespace

void addShardedComm(ShapeCosts& costs, const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost,
                    const PlanGroups& groups) {
    if (plan.sharding < Sharding::zero2 || groups.data.size == 1) return;
    const ShardedCosts layer = shardedCosts(layerParameters(model, 0).perRank(plan.tp), plan, cost, groups.data);
    const double forward = costs.layerForward.total();
    const double backward = costs.layerBackward.total() + costs.layerRecompute.total();
    const double hiddenForward = plan.overlapParamGather ? forward : 0.0;
    const double gatherInBackward = plan.overlapParamGather ? 0.0 : layer.gather;
    const double reduceInBackward = plan.overlapGradReduce ? 0.0 : layer.reduce;
    // Gathers and reductions share the network: what may hide adds up before it is compared with the computation.
    const double mayHide = (layer.gather - gatherInBackward) + (layer.reduce - reduceInBackward);
    addComm(costs.layerForward, std::max(0.0, layer.gather - hiddenForward), layer.sigma);
    addComm(costs.layerBackward, gatherInBackward + reduceInBackward + std::max(0.0, mayHide - backward), layer.sigma);

    const ShardedCosts embedding = shardedCosts(embeddingParameters(model).perRank(plan.tp), plan, cost, groups.data);
    addComm(costs.embeddingForward, embedding.gather, embedding.sigma);
    addComm(costs.embeddingBackward, embedding.reduce, embedding.sigma);
    if (model.tiedEmbeddings && plan.pp == 1) return;
    const ShardedCosts head = shardedCosts(headParameters(model).perRank(plan.tp), plan, cost, groups.data);
    addComm(costs.headForward, head.gather, head.sigma);
    addComm(costs.headBackward, head.reduce, head.sigma);
}

}  // namespace orrery
