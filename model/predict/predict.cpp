// One optimizer step: costs of the tasks, run of every distinct replica, end of the step, and what it adds up to.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/memory/stage_memory.hpp"
#include "model/predict/model_flops.hpp"
#include "model/predict/prediction_timeline.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

void requireModelled(const ModelSpec& model, const ParallelPlan& plan) {
    if (model.moe.experts > 0) throw InputError("model: mixture of experts is not modelled yet; use a dense model");
    if (model.attention == AttentionKind::latent)
        throw InputError("model: latent attention is not modelled yet; use multi-head or grouped-query attention");
    if (model.mtpLayers > 0) throw InputError("model: multi-token prediction is not modelled yet; set mtp_layers = 0");
    if (plan.cp > 1) throw InputError("plan: context parallelism is not modelled yet; set cp = 1");
}

void validateWorkload(const Workload& workload, const ParallelPlan& plan) {
    if (workload.replicas.size() != static_cast<std::size_t>(plan.dp)) {
        throw InputError(fmt::format("workload: it has documents for {} replicas; the plan has dp = {}",
                                     workload.replicas.size(), plan.dp));
    }
    for (std::size_t replica = 0; replica < workload.replicas.size(); ++replica) {
        const auto& list = workload.replicas[replica];
        if (list.empty())
            throw InputError(fmt::format("workload: replica {} has no micro-batches; give it one", replica));
        for (const MicroBatch& microBatch : list) {
            const auto shortest = std::min_element(microBatch.documents.begin(), microBatch.documents.end());
            if (shortest != microBatch.documents.end() && *shortest > 0) continue;
            throw InputError(fmt::format("workload: replica {} has {}; give every document 1 token or more", replica,
                                         microBatch.documents.empty()
                                             ? "a micro-batch without documents"
                                             : fmt::format("a document of {} tokens", *shortest)));
        }
    }
}

/// Slowest device of each stage, over all replicas.
std::vector<double> slowestSpeeds(const ParallelPlan& plan, const ClusterSpec& cluster) {
    std::vector<double> slowest(static_cast<std::size_t>(plan.pp), 1.0);
    if (cluster.deviceSpeed.empty()) return slowest;
    const int devices = plan.tp * plan.cp * plan.dp;  // of a stage
    for (int stage = 0; stage < plan.pp; ++stage) {
        const auto first = cluster.deviceSpeed.begin() + stage * devices;
        slowest[static_cast<std::size_t>(stage)] = *std::min_element(first, first + devices);
    }
    return slowest;
}

std::vector<StageEndCosts> endsOf(const ModelSpec& model, const ParallelPlan& plan, const CostModel& cost,
                                  const PlanGroups& groups, const std::vector<StageParameters>& parameters) {
    const std::vector<double> speeds = slowestSpeeds(plan, cost.cluster());
    std::vector<StageEndCosts> ends;
    for (std::size_t s = 0; s < parameters.size(); ++s)
        ends.push_back(stageEndCosts(model, plan, cost, groups, parameters[s], speeds[s]));
    return ends;
}

/// The end of the step, which waits for the slowest replica of each stage.
StepEndTimes endTimesOf(const ParallelPlan& plan, const ReplicaRuns& runs, const TaskCosts& costs,
                        const std::vector<StageEndCosts>& ends) {
    std::vector<double> tasksDone(ends.size(), 0.0);
    std::vector<double> reduced(ends.size(), 0.0);
    for (const ReplicaRun& run : runs.kinds) {
        for (std::size_t s = 0; s < ends.size(); ++s) {
            tasksDone[s] = std::max(tasksDone[s], run.simulation.stageEnd[s]);
            reduced[s] = std::max(reduced[s],
                                  reduceEnd(run, costs, static_cast<int>(s), ends[s].reduce, plan.overlapGradReduce));
        }
    }
    return stepEndTimes(std::move(tasksDone), std::move(reduced), ends, plan.clipGradients, !plan.overlapParamGather);
}

/// What a stage of one kind of replica spends on its tasks.
CostVector busyOf(const ReplicaRun& run, const ShapeIndex& index, const TaskCosts& costs, int stage) {
    std::vector<int> counts(index.shapes.size(), 0);
    for (const std::uint32_t shape : index.shapeOf[run.list]) ++counts[shape];
    const Schedule& schedule = *run.schedule;
    CostVector busy;
    for (std::uint32_t shape = 0; shape < counts.size(); ++shape) {
        if (counts[shape] == 0) continue;
        for (int chunk = 0; chunk < schedule.chunks; ++chunk) {
            const int v = schedule.virtualStage(stage, chunk);
            for (const TaskKind kind : {TaskKind::forward, TaskKind::backward, TaskKind::backwardWeight})
                busy.add(costs.of(shape, v, kind), counts[shape]);
            if (!run.times.blockingSends) continue;
            busy[CostClass::pipelineComm] +=
                counts[shape] * (costs.transfer(shape, v, 0) + costs.transfer(shape, v, 1));
        }
    }
    if (!run.speed.empty()) busy.stretch(run.speed[static_cast<std::size_t>(stage)]);
    return busy;
}

/// Adds what the end of the step costs a stage; of reduction and gather only what nothing hides.
void addEnd(CostVector& busy, const StageEndCosts& end, const StepEndTimes& times, const ReplicaRun& run,
            std::size_t stage) {
    const double reduce = times.reduced[stage] - end.embeddingReduce - times.tasksDone[stage];
    const double gather =
        run.times.release.empty() ? times.gathered[stage] - times.updated[stage] : run.times.release[stage];
    busy[CostClass::dataComm] += std::clamp(reduce, 0.0, end.reduce) + end.embeddingReduce + end.normReduce + gather;
    busy[CostClass::optimizer] += end.norm + end.optimizer;
    busy[CostClass::host] += end.host;
    busy.sigmaSeconds += end.sigmaSeconds;
}

StagePrediction memoryOf(const ModelSpec& model, const ParallelPlan& plan, const StageParameters& parameters,
                         const TaskCosts& costs, int stage) {
    StagePrediction prediction;
    prediction.stage = stage;
    double transfer = 0.0;
    double working = 0.0;
    for (std::uint32_t shape = 0; shape < costs.shapes(); ++shape) {
        transfer = std::max(transfer, costs.shape(shape).transferBytes);
        working = std::max(working, costs.shape(shape).activations.working.value());
    }
    const StateMemory state = stateMemory(model, plan, parameters, Bytes(transfer));
    prediction.memory = {state.weights, state.gradients, state.optimizer,
                         Bytes(parameters.layerCount > 0 ? working : 0.0), state.buffers};
    return prediction;
}

void addPeakActivations(std::vector<StagePrediction>& stages, const ReplicaRuns& runs, const ShapeIndex& index,
                        const TaskCosts& costs) {
    std::vector<double> peaks(stages.size(), 0.0);
    std::vector<double> inFlight(stages.size(), 0.0);
    for (const ReplicaRun& run : runs.kinds) {
        if (&run != &runs.kinds.front() && run.list == runs.kinds.front().list) continue;  // speeds hold nothing
        const auto& shapeOf = index.shapeOf[run.list];
        const auto bytes = peakActivations(*run.schedule, shapeOf, costs.heldBytes());
        const std::vector<double> ones(costs.heldBytes().size(), 1.0 / run.schedule->chunks);
        const auto count = peakActivations(*run.schedule, shapeOf, ones);
        for (std::size_t s = 0; s < stages.size(); ++s) {
            peaks[s] = std::max(peaks[s], bytes[s]);
            inFlight[s] = std::max(inFlight[s], count[s]);
        }
    }
    for (std::size_t s = 0; s < stages.size(); ++s) {
        stages[s].memory.activations += Bytes(peaks[s]);
        stages[s].peakInFlight = static_cast<int>(std::ceil(inFlight[s] - 1e-9));
    }
}

}  // namespace

Prediction predict(const ModelSpec& model, const ParallelPlan& plan, const Workload& workload, const CostModel& cost,
                   const PredictOptions& options) {
    validate(model);
    validate(plan, model, cost.cluster());
    requireModelled(model, plan);
    validateWorkload(workload, plan);

    const PlanGroups groups(plan);
    const ShapeIndex index = indexShapes(workload);
    const Schedule layout = makeSchedule(plan.schedule, plan.pp, plan.vpp, 1);
    const TaskCosts costs(model, plan, cost, groups, index.shapes, layout);
    const std::vector<StageParameters> parameters = stageParameters(model, plan);
    const std::vector<StageEndCosts> ends = endsOf(model, plan, cost, groups, parameters);
    const ReplicaRuns runs = runReplicas(index, costs, plan, cost.cluster(), ends);
    const StepEndTimes endTimes = endTimesOf(plan, runs, costs, ends);

    Prediction prediction;
    const double step = endTimes.step;
    CostVector mean;
    double busiest = 0.0;
    for (int stage = 0; stage < plan.pp; ++stage) {
        const auto s = static_cast<std::size_t>(stage);
        StagePrediction out = memoryOf(model, plan, parameters[s], costs, stage);
        CostVector ofStage;
        for (const ReplicaRun& run : runs.kinds) {
            CostVector busy = busyOf(run, index, costs, stage);
            addEnd(busy, ends[s], endTimes, run, s);
            busiest = std::max(busiest, busy.work());
            ofStage.add(busy, static_cast<double>(run.count) / plan.dp);
        }
        ofStage[CostClass::bubble] = step - ofStage.total();
        out.compute = Seconds(ofStage.work());
        out.exposedComm = Seconds(ofStage.communication());
        out.idle = Seconds(ofStage[CostClass::bubble]);
        mean.add(ofStage, 1.0 / plan.pp);
        prediction.stages.push_back(out);
    }
    addPeakActivations(prediction.stages, runs, index, costs);

    StepMetrics& metrics = prediction.metrics;
    metrics.step = Seconds(step);
    for (const StagePrediction& stage : prediction.stages)
        metrics.peakMemory = std::max(metrics.peakMemory, stage.memory.total());
    for (std::size_t i = 0; i < kCostClasses; ++i)
        prediction.breakdown.emplace(name(static_cast<CostClass>(i)), Seconds(mean.seconds[i]));
    const double gpus = plan.worldSize();
    const double busyMean = mean.total() - mean[CostClass::bubble];
    metrics.relativeSigma = busyMean > 0.0 ? mean.sigmaSeconds / busyMean : 0.0;
    metrics.tokensPerSecondPerGpu = static_cast<double>(workload.tokens()) / step / gpus;
    const double perGpu = modelFlops(model, workload).value() / step / gpus;
    const double peak = cost.cluster().gpu.peak(plan.precision).value();
    metrics.modelTflopsPerGpu = perGpu / 1e12;
    metrics.mfu = perGpu / peak;
    metrics.hfu = hardwareFlops(model, plan, workload).value() / step / gpus / peak;
    metrics.bubbleFraction = mean[CostClass::bubble] / step;
    metrics.exposedCommFraction = mean.communication() / step;
    metrics.imbalance = busiest / mean.work();

    const Bytes memory = cost.cluster().gpu.memory;
    if (metrics.peakMemory > memory) {
        prediction.warnings.push_back(fmt::format("the plan needs {:.1f} GiB on its fullest stage; {} has {:.1f} GiB",
                                                  metrics.peakMemory / 1_GiB, cost.cluster().gpu.name, memory / 1_GiB));
    }
    if (cost.calibration().device(cost.cluster().gpu.name) == nullptr) {
        prediction.warnings.push_back(fmt::format(
            "no calibration for {}: times come from its data sheet and usual efficiencies", cost.cluster().gpu.name));
    }
    if (options.timeline || options.operatorSpans) {
        prediction.timeline =
            drawStep({model, plan, cost, groups, index, costs, runs, ends, endTimes}, options.operatorSpans);
    }
    return prediction;
}

Prediction predict(const Scenario& scenario, const PredictOptions& options) {
    validate(scenario.cluster);
    return predict(scenario.model, scenario.plan, scenario.workload, CostModel(scenario.cluster, scenario.calibration),
                   options);
}

}  // namespace orrery
