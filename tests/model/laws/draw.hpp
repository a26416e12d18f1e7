// Random jobs over the whole width of the model: dense, experts, latent attention, state spaces; every schedule;
// tensor, pipeline, data, context and expert parallelism; documents of unequal length.
#pragma once

#include <rapidcheck.h>

#include "../specs.hpp"
#include "model/spec/stage_layout.hpp"

namespace orrery::laws {

constexpr double kRounding = 1e-9;

inline ModelSpec drawModel() {
    const int kind = *rc::gen::inRange(0, 5);
    if (kind == 0) return specs::gpt(8, 1024, 16);
    ModelSpec model = specs::llama(8, 1024, 16, 4, 2816, 32000);
    if (kind == 1) {
        model.mtpLayers = *rc::gen::inRange(0, 2);
        model.slidingWindow = *rc::gen::element(0, 256);
        model.fullAttentionEvery = 2;
    }
    if (kind == 2 || kind == 3) {
        model.moe.experts = 16;
        model.moe.topK = *rc::gen::element(1, 2, 4);
        model.moe.ffnHidden = 512;
        model.moe.sharedFfn = *rc::gen::element(0, 512);
        model.moe.denseLayers = *rc::gen::inRange(0, 2);
        model.moe.loadImbalance = *rc::gen::element(1.0, 1.3);
    }
    if (kind == 3) {
        model.attention = AttentionKind::latent;
        model.kvHeads = 16;
        model.latent = {512, 128, 32, 64};
    }
    if (kind == 4) {
        model.layerPattern = "M-M*";
        model.stateSpace.heads = 16;
        model.stateSpace.headDim = 64;
        model.stateSpace.stateDim = 64;
        model.stateSpace.groups = 4;
    }
    return model;
}

inline void drawSchedule(ParallelPlan& plan) {
    plan.schedule = *rc::gen::element(ScheduleKind::gpipe, ScheduleKind::oneFOneB, ScheduleKind::interleaved,
                                      ScheduleKind::zbH1, ScheduleKind::zbH2, ScheduleKind::zbV, ScheduleKind::vHalf,
                                      ScheduleKind::vMin, ScheduleKind::dualPipe, ScheduleKind::dualPipeV);
    const bool pipeline = plan.pp > 1;
    if (!pipeline && (plan.schedule == ScheduleKind::interleaved || plan.schedule == ScheduleKind::dualPipe))
        plan.schedule = ScheduleKind::oneFOneB;
    plan.vpp = plan.schedule == ScheduleKind::interleaved ? 2 : chunksOf(plan.schedule);
}

inline ParallelPlan drawPlan(const ModelSpec& model) {
    ParallelPlan plan = specs::plan(*rc::gen::element(1, 2, 4), *rc::gen::element(1, 2, 4), *rc::gen::element(1, 2, 4));
    const bool hybrid = !model.layerPattern.empty();
    plan.cp = hybrid ? 1 : *rc::gen::element(1, 1, 2, 4);
    plan.cpAllToAll = plan.cp == 4 ? *rc::gen::element(1, 2, 4) : 1;
    plan.contextComm = *rc::gen::element(ContextComm::ring, ContextComm::allGather);
    plan.sequenceParallel = model.moe.experts > 0 || *rc::gen::arbitrary<bool>();
    if (model.moe.experts > 0) {
        plan.etp = *rc::gen::element(1, plan.tp);
        plan.ep = std::min(16, *rc::gen::element(1, plan.tp * plan.dp * plan.cp / plan.etp));
        plan.expertDispatch = *rc::gen::element(ExpertDispatch::allToAll, ExpertDispatch::deduplicated);
        plan.expertOverlap =
            *rc::gen::element(ExpertOverlap::none, ExpertOverlap::sharedExperts, ExpertOverlap::microBatch);
    }
    drawSchedule(plan);
    plan.recompute = *rc::gen::element(Recompute::none, Recompute::selective, Recompute::full);
    plan.recomputeModules = static_cast<std::uint8_t>(*rc::gen::inRange(1, 64));
    plan.sharding = *rc::gen::element(Sharding::zero0, Sharding::zero1, Sharding::zero2, Sharding::zero3);
    plan.flashAttention = plan.cp > 1 || *rc::gen::arbitrary<bool>();
    plan.overlapGradReduce = *rc::gen::arbitrary<bool>();
    plan.overlapParamGather = *rc::gen::arbitrary<bool>();
    plan.overlapTp = *rc::gen::arbitrary<bool>();
    plan.fusedCrossEntropy = *rc::gen::arbitrary<bool>();
    plan.clipGradients = *rc::gen::arbitrary<bool>();
    return plan;
}

inline Scenario drawScenario() {
    Scenario scenario;
    scenario.model = drawModel();
    scenario.plan = drawPlan(scenario.model);
    scenario.cluster = specs::a100(scenario.plan.worldSize());
    scenario.workload.sequenceLength = 2048;
    const int microBatches = *rc::gen::inRange(1, 9);
    for (int replica = 0; replica < scenario.plan.dp; ++replica) {
        auto& list = scenario.workload.replicas.emplace_back();
        for (int i = 0; i < microBatches; ++i) {
            MicroBatch microBatch;
            const int documents = *rc::gen::inRange(1, 4);
            for (int d = 0; d < documents; ++d) microBatch.documents.push_back(*rc::gen::inRange(1, 2049));
            list.push_back(std::move(microBatch));
        }
    }
    return scenario;
}

}  // namespace orrery::laws
