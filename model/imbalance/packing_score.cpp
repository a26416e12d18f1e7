#include "model/imbalance/packing_score.hpp"

#include <algorithm>

namespace orrery {

PackingScore scoreOf(const Packing& packing, std::int64_t contextLength, const ModelSpec& model,
                     const ParallelPlan& plan, const CostModel& cost) {
    PackingScore score;
    score.steps = static_cast<std::int64_t>(packing.steps.size());
    if (score.steps == 0) return score;
    const double share = 1.0 / static_cast<double>(score.steps);
    const auto over = [share](double ratio) { return share * (ratio - 1.0); };
    Seconds total{};
    for (const PackedStep& step : packing.steps) {
        const Workload workload = workloadOf(step, contextLength);
        const Prediction prediction = predict(model, plan, workload, cost);
        const Imbalance imbalance = imbalanceOf(model, plan, workload, cost);
        total += prediction.metrics.step;
        score.bubbleFraction += share * prediction.metrics.bubbleFraction;
        score.peakMemory = std::max(score.peakMemory, prediction.metrics.peakMemory);
        for (const ImbalanceSource& source : imbalance.sources) {
            score.cost[std::string(source.name)] += share * source.cost;
            if (source.name == "dp") score.dp += over(source.maxOverMean);
            if (source.name == "micro_batches") score.microBatches += over(source.maxOverMean);
            if (source.name == "stages") score.stages += over(source.maxOverMean);
            if (source.name == "cp") score.cpPerSequence += over(source.maxOverMean);
        }
        double perDocument = 0.0;
        for (const auto& packs : workload.replicas) {
            for (const MicroBatch& pack : packs) perDocument += contextImbalance(pack, plan.cp, true) - 1.0;
        }
        std::size_t packs = 0;
        for (const auto& replica : workload.replicas) packs += replica.size();
        score.cpPerDocument += share * perDocument / static_cast<double>(packs);
        const std::int64_t real = realTokens(step);
        score.tokens += real;
        score.padding += computedTokens(step) - real;
    }
    score.step = share * total;
    score.tokensPerSecond = static_cast<double>(score.tokens) / total.value();
    return score;
}

PackingProblem packingProblem(const Scenario& scenario, const CostModel& cost) {
    PackingProblem problem;
    problem.contextLength = scenario.workload.sequenceLength;
    for (const auto& replica : scenario.workload.replicas) {
        for (const MicroBatch& pack : replica)
            problem.tokensPerMicroBatch = std::max(problem.tokensPerMicroBatch, pack.tokens());
    }
    problem.microBatches = scenario.workload.microBatches();
    problem.replicas = scenario.plan.dp;
    if (scenario.plan.schedule == ScheduleKind::interleaved) problem.multiple = scenario.plan.pp;
    problem.cost = packCost(scenario.model, scenario.plan, problem.tokensPerMicroBatch, cost);
    return problem;
}

}  // namespace orrery
