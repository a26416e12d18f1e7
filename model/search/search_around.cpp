#include "model/search/search_around.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

bool areFixedSequences(const Workload& workload) {
    return std::all_of(workload.replicas.begin(), workload.replicas.end(), [&](const auto& microBatches) {
        return std::all_of(microBatches.begin(), microBatches.end(), [&](const MicroBatch& microBatch) {
            const std::size_t sequences = workload.replicas.front().front().documents.size();
            return microBatch.documents.size() == sequences &&
                   std::all_of(microBatch.documents.begin(), microBatch.documents.end(),
                               [&](std::int64_t length) { return length == workload.sequenceLength; });
        });
    });
}

/// The micro-batches of all replicas, dealt out to `dp` replicas in turn.
Workload dealtOut(const Workload& workload, int dp) {
    Workload dealt;
    dealt.sequenceLength = workload.sequenceLength;
    dealt.replicas.resize(static_cast<std::size_t>(dp));
    std::size_t next = 0;
    for (const auto& microBatches : workload.replicas) {
        for (const MicroBatch& microBatch : microBatches)
            dealt.replicas[next++ % dealt.replicas.size()].push_back(microBatch);
    }
    if (next % dealt.replicas.size() != 0)
        throw InputError(fmt::format("workload: {} micro-batches do not divide over {} replicas", next, dp));
    return dealt;
}

}  // namespace

void forgetLayout(ParallelPlan& plan) {
    const ParallelPlan plain;
    plan.layersPerStage.clear();
    plan.embeddingAsLayer = plan.lossAsLayer = false;
    plan.firstStageLayers = plan.lastStageLayers = 0;
    plan.mtpSlot = plain.mtpSlot;
    plan.order.clear();
    plan.orderPlacement = plain.orderPlacement;
    plan.cpAllToAll = plain.cpAllToAll;
    plan.shardRanks = plain.shardRanks;
    plan.recomputeLayers = plain.recomputeLayers;
}

SearchProblem searchAround(const Scenario& scenario) {
    JobSize job;
    job.gpus = scenario.cluster.gpus;
    job.sequenceLength = scenario.workload.sequenceLength;
    const bool fixed = areFixedSequences(scenario.workload);
    const auto sequences = static_cast<std::int64_t>(scenario.workload.replicas.front().front().documents.size());
    if (fixed) job.globalBatch = scenario.workload.tokens() / job.sequenceLength;
    PlanSpace space;
    space.base = scenario.plan;
    forgetLayout(space.base);
    if (scenario.plan.sharding == Sharding::zero3) space.sharding = {Sharding::zero3};
    openDimensions(space, scenario.model, job);
    SearchProblem problem{scenario.model, job, std::move(space), costModelOf(scenario), {}, {}, {}};
    const auto documents = std::make_shared<const Workload>(scenario.workload);
    const std::int64_t batch = job.globalBatch;
    problem.workload = [documents, batch](int dp, int microBatch) {
        return batch > 0 ? Workload::fixed(documents->sequenceLength, batch, microBatch, dp) : dealtOut(*documents, dp);
    };
    problem.reference = ReferencePlan{scenario.plan, fixed ? static_cast<int>(sequences) : 1};
    return problem;
}

}  // namespace orrery
