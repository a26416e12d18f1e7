#include "model/predict/sharded_comm.hpp"

#include <algorithm>

#include "model/spec/parameter_counts.hpp"

namespace orrery {
namespace {

struct ShardedCosts {
    double gather = 0.0, reduce = 0.0;
    double sigma = 0.0;
};

/// `parameters` outside of experts and `experts` of one rank.
ShardedCosts shardedCosts(double parameters, double experts, const ParallelPlan& plan, const CostModel& cost,
                          const PlanGroups& groups) {
    ShardedCosts costs;
    const auto add = [&](double& sum, OpClass kind, double count, DType type, const Group& group) {
        if (count <= 0.0) return;
        const Estimate estimate = cost.collective(kind, count * elementSize(type), group);
        sum += estimate.time.value();
        costs.sigma = std::max(costs.sigma, estimate.relativeSigma);
    };
    add(costs.reduce, OpClass::reduceScatter, parameters, plan.gradientType, groups.shard);
    add(costs.reduce, OpClass::allReduce, parameters / groups.shard.size, plan.gradientType, groups.replicate);
    add(costs.reduce, OpClass::reduceScatter, experts, plan.gradientType, groups.expertData);
    if (plan.sharding == Sharding::zero3) {
        add(costs.gather, OpClass::allGather, parameters, plan.parameterType, groups.shard);
        add(costs.gather, OpClass::allGather, experts, plan.parameterType, groups.expertData);
    }
    return costs;
}

void addComm(CostVector& cost, double seconds, double sigma) {
    cost[CostClass::dataComm] += seconds;
    cost.sigmaSeconds += seconds * sigma;
}

/// What a communication costs when only `exposed` of it is in the open: that, and what the rest takes from computing.
double shown(double communication, double exposed, double slowdown) {
    return exposed + slowdown * (communication - exposed);
}

void addLayer(LayerCosts& costs, const ShardedCosts& layer, const ParallelPlan& plan, double slowdown) {
    const double forward = costs.forward.total();
    const double backward = costs.backward.total() + costs.recompute.total();
    const double hiddenForward = plan.overlapParamGather ? forward : 0.0;
    const double gatherInBackward = plan.overlapParamGather ? 0.0 : layer.gather;
    const double reduceInBackward = plan.overlapGradReduce ? 0.0 : layer.reduce;
    // Gathers and reductions share the network: what may hide adds up before it is compared with the computation.
    const double mayHide = (layer.gather - gatherInBackward) + (layer.reduce - reduceInBackward);
    addComm(costs.forward, shown(layer.gather, std::max(0.0, layer.gather - hiddenForward), slowdown), layer.sigma);
    addComm(costs.backward,
            gatherInBackward + reduceInBackward + shown(mayHide, std::max(0.0, mayHide - backward), slowdown),
            layer.sigma);
}

}  // namespace

void addShardedComm(ShapeCosts& costs, const std::vector<LayerKind>& kinds, const ModelSpec& model,
                    const ParallelPlan& plan, const CostModel& cost, const PlanGroups& groups) {
    if (plan.sharding < Sharding::zero2 || groups.data.size == 1) return;
    const double expertShards = static_cast<double>(plan.ep) * plan.etp;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const ParameterCount count = layerParameters(model, kinds[i]);
        addLayer(costs.layers[i],
                 shardedCosts(count.perRank(plan.tp), count.experts / expertShards, plan, cost, groups), plan,
                 cost.runtime().overlapSlowdown);
    }
    const ShardedCosts embedding = shardedCosts(embeddingParameters(model).perRank(plan.tp), 0.0, plan, cost, groups);
    addComm(costs.embeddingForward, embedding.gather, embedding.sigma);
    addComm(costs.embeddingBackward, embedding.reduce, embedding.sigma);
    if (model.tiedEmbeddings && plan.pp == 1) return;
    const ShardedCosts head = shardedCosts(headParameters(model).perRank(plan.tp), 0.0, plan, cost, groups);
    addComm(costs.headForward, head.gather, head.sigma);
    addComm(costs.headBackward, head.reduce, head.sigma);
}

}  // namespace orrery
