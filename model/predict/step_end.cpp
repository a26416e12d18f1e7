#include "model/predict/step_end.hpp"

#include <algorithm>
#include <utility>

#include "model/ops/optimizer_ops.hpp"
#include "model/spec/stage_layout.hpp"

namespace orrery {
namespace {

/// Time of a collective over a part of the parameters, added with its uncertainty.
void addCollective(double& sum, double& sigmaSeconds, const CostModel& cost, OpClass kind, Bytes bytes,
                   const Group& group) {
    if (bytes.value() <= 0.0) return;
    const Estimate estimate = cost.collective(kind, bytes, group);
    sum += estimate.time.value();
    sigmaSeconds += estimate.time.value() * estimate.relativeSigma;
}

}  // namespace

StageEndCosts stageEndCosts(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost,
                            const PlanGroups& groups, const StageParameters& parameters, double speed) {
    StageEndCosts end;
    const double outside = parameters.outsideExperts();
    const bool sharded = plan.sharding >= Sharding::zero1;
    if (plan.sharding <= Sharding::zero1) {
        end.reduceKind = sharded ? OpClass::reduceScatter : OpClass::allReduce;
        const Bytes gradient = elementSize(plan.gradientType);
        end.reduceBytes = ((outside + parameters.experts) * gradient).value();
        addCollective(end.reduce, end.sigmaSeconds, cost, end.reduceKind, outside * gradient,
                      sharded ? groups.shard : groups.data);
        if (sharded) {
            addCollective(end.reduce, end.sigmaSeconds, cost, OpClass::allReduce,
                          outside / groups.shard.size * gradient, groups.replicate);
        }
        addCollective(end.reduce, end.sigmaSeconds, cost, end.reduceKind, parameters.experts * gradient,
                      groups.expertData);
    }
    if (plan.sharding == Sharding::zero1 || plan.sharding == Sharding::zero2) {
        const Bytes weight = elementSize(plan.parameterType);
        end.gatherBytes = ((outside + parameters.experts) * weight).value();
        addCollective(end.gather, end.sigmaSeconds, cost, OpClass::allGather, outside * weight, groups.shard);
        addCollective(end.gather, end.sigmaSeconds, cost, OpClass::allGather, parameters.experts * weight,
                      groups.expertData);
    }
    if (placementOf(plan) == Placement::mirror) {
        // Both copies of a part of the model add their gradients; the pair lies as far apart as the first and last.
        const double shared =
            sharded ? outside / groups.shard.size + parameters.experts / groups.expertData.size : parameters.total();
        addCollective(end.reduce, end.sigmaSeconds, cost, OpClass::allReduce, shared * elementSize(plan.gradientType),
                      groups.embedding);
    }
    const bool holdsTiedCopy = parameters.embedding > 0.0 || parameters.head > 0.0;
    if (model.tiedEmbeddings && !edgesTogether(plan) && holdsTiedCopy) {
        const double table = static_cast<double>(model.vocab) * static_cast<double>(model.hidden) / plan.tp;
        const Estimate reduce =
            cost.collective(OpClass::allReduce, table * elementSize(plan.gradientType), groups.embedding);
        end.embeddingReduce = reduce.time.value();
        end.sigmaSeconds += end.embeddingReduce * reduce.relativeSigma;
    }
    const double owned =
        sharded ? outside / groups.shard.size + parameters.experts / groups.expertData.size : parameters.total();
    const Estimate update = cost.kernel(optimizerStep(plan, owned).op);
    end.optimizer = update.time.value() / speed;
    end.sigmaSeconds += end.optimizer * update.relativeSigma;
    end.host = cost.hostGap(plan.clipGradients ? 2 : 1).value() / speed;
    if (plan.clipGradients) {
        end.norm = cost.kernel(gradientNorm(plan, owned).op).time.value() / speed;
        const Group all{"world", plan.worldSize(), 1};
        end.normReduce = cost.collective(OpClass::allReduce, Bytes(4.0), all).time.value();
    }
    return end;
}

double shownGather(double gather, double forward, int buckets) {
    const double n = std::max(1, buckets);
    return std::max(gather / n, gather - forward * (n - 1.0) / n);
}

double overlappedReduceEnd(const std::vector<ChunkReduction>& chunks) {
    double end = 0.0;
    for (const ChunkReduction& chunk : chunks) {
        const double n = std::max(1, chunk.buckets);
        const double firstBucket = chunk.backwardBegin + (chunk.backwardEnd - chunk.backwardBegin) / n;
        end = std::max(std::max(end, firstBucket) + chunk.reduce, chunk.backwardEnd + chunk.reduce / n);
    }
    return end;
}

StepEndTimes stepEndTimes(std::vector<double> tasksDone, std::vector<double> reduced,
                          const std::vector<StageEndCosts>& costs, bool clipGradients, bool gatherAtEnd) {
    StepEndTimes times;
    times.tasksDone = std::move(tasksDone);
    times.reduced = std::move(reduced);
    const std::size_t stages = costs.size();
    if (stages > 1 && costs.front().embeddingReduce > 0.0) {
        const double both = std::max(times.reduced.front(), times.reduced.back()) + costs.front().embeddingReduce;
        times.reduced.front() = both;
        times.reduced.back() = both;
    }
    times.normed = times.reduced;
    for (std::size_t s = 0; s < stages; ++s) times.normed[s] += costs[s].norm;
    times.updateBegin = times.normed;
    if (clipGradients) {
        const double all = *std::max_element(times.normed.begin(), times.normed.end()) + costs.front().normReduce;
        times.updateBegin.assign(stages, all);
    }
    times.updated = times.updateBegin;
    for (std::size_t s = 0; s < stages; ++s) times.updated[s] += costs[s].optimizer + costs[s].host;
    times.gathered = times.updated;
    for (std::size_t s = 0; s < stages && gatherAtEnd; ++s) times.gathered[s] += costs[s].gather;
    times.step = *std::max_element(times.gathered.begin(), times.gathered.end());
    return times;
}

}  // namespace orrery
