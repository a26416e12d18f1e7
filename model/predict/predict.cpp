// One optimizer step: costs of the tasks, run of every distinct replica, end of the step, and what it adds up to.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/memory/stage_memory.hpp"
#include "model/predict/model_flops.hpp"
#include "model/predict/predict_memo.hpp"
#include "model/predict/prediction_timeline.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

void requireReplicas(const IndexedWorkload& workload, const ParallelPlan& plan) {
    if (workload.listOf.size() == static_cast<std::size_t>(plan.dp)) return;
    throw InputError(fmt::format("workload: it has documents for {} replicas; the plan has dp = {}",
                                 workload.listOf.size(), plan.dp));
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
    ends.reserve(parameters.size());
    for (std::size_t s = 0; s < parameters.size(); ++s) {
        if (s > 0 && parameters[s] == parameters[s - 1] && speeds[s] == speeds[s - 1]) {
            ends.push_back(ends.back());  // inner stages are alike
            continue;
        }
        ends.push_back(stageEndCosts(model, plan, cost, groups, parameters[s], speeds[s]));
    }
    return ends;
}

/// The end of the step, which waits for the slowest replica of each stage.
StepEndTimes endTimesOf(const ParallelPlan& plan, const ReplicaRuns& runs, const TaskCosts& costs,
                        const std::vector<StageEndCosts>& ends, double slowdown) {
    std::vector<double> tasksDone(ends.size(), 0.0);
    std::vector<double> reduced(ends.size(), 0.0);
    for (const ReplicaRun& run : runs.kinds) {
        for (std::size_t s = 0; s < ends.size(); ++s) {
            tasksDone[s] = std::max(tasksDone[s], run.simulation.stageEnd[s]);
            double end =
                reduceEnd(run, costs, runs.layout, static_cast<int>(s), ends[s].reduce, plan.overlapGradReduce);
            const double shown = end - run.simulation.stageEnd[s];
            end += slowdown * std::max(0.0, ends[s].reduce - shown);
            reduced[s] = std::max(reduced[s], end);
        }
    }
    return stepEndTimes(std::move(tasksDone), std::move(reduced), ends, plan.clipGradients, !plan.overlapParamGather);
}

/// What a stage of one kind of replica spends on its tasks.
CostVector busyOf(const ReplicaRun& run, const IndexedWorkload& index, const TaskCosts& costs, const Schedule& layout,
                  int stage) {
    const std::vector<int>& counts = index.counts[run.list];
    CostVector busy;
    if (layout.mirrored()) {
        const auto& shapeOf = index.shapeOf[run.list];
        for (std::size_t i = 0; i < shapeOf.size(); ++i) {
            const int v = layout.virtualStage(stage, static_cast<int>(i % 2));
            for (const TaskKind kind : {TaskKind::forward, TaskKind::backward, TaskKind::backwardWeight})
                busy.add(costs.of(shapeOf[i], v, kind));
        }
    }
    for (std::uint32_t shape = 0; shape < counts.size() && !layout.mirrored(); ++shape) {
        if (counts[shape] == 0) continue;
        for (int chunk = 0; chunk < layout.chunks; ++chunk) {
            const int v = layout.virtualStage(stage, chunk);
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
    Bytes working{}, placeholders{};
    const bool hasLayers = parameters.layerCount > 0, hasHead = parameters.head > 0.0;
    for (std::uint32_t shape = 0; shape < costs.shapes(); ++shape) {
        const ShapeCosts& parts = costs.shape(shape);
        transfer = std::max(transfer, parts.transferBytes);
        // The peak comes while the output layer or, when what it saved is free again, a layer goes backward.
        const Bytes layer = hasLayers ? parts.working : Bytes();
        working = std::max(working, hasHead ? std::max(parts.headWorking, layer - parts.headSaved) : layer);
        placeholders = std::max(
            placeholders, (hasLayers ? parts.placeholders : Bytes()) + (hasHead ? parts.headPlaceholder : Bytes()));
    }
    const StateMemory state = stateMemory(model, plan, parameters, Bytes(transfer));
    prediction.memory = {state.weights, state.gradients, state.optimizer, working, state.buffers + placeholders};
    prediction.backwardWorking = working;
    return prediction;
}

void addPeakActivations(std::vector<StagePrediction>& stages, const ParallelPlan& plan, const ReplicaRuns& runs,
                        const IndexedWorkload& index, const TaskCosts& costs, PredictMemo& memo) {
    std::vector<double> peaks(stages.size(), 0.0);
    std::vector<double> inFlight(stages.size(), 0.0);
    for (const ReplicaRun& run : runs.kinds) {
        if (&run != &runs.kinds.front() && run.list == runs.kinds.front().list) continue;  // speeds hold nothing
        const auto& shapeOf = index.shapeOf[run.list];
        const InFlight& held = memo.inFlight(plan, static_cast<int>(shapeOf.size()));
        const bool alike = std::all_of(shapeOf.begin(), shapeOf.end(), [&](auto s) { return s == shapeOf.front(); });
        const auto positions = static_cast<std::size_t>(runs.layout.virtualStages());
        const auto bytes =
            alike ? held.peak(runs.layout, costs.heldBytes().data() + shapeOf.front() * positions)
                  : peakActivations(*memo.schedule(plan, static_cast<int>(shapeOf.size())), shapeOf, costs.heldBytes());
        const std::vector<int> passes = held.passes();
        for (std::size_t s = 0; s < stages.size(); ++s) {
            peaks[s] = std::max(peaks[s], bytes[s]);
            inFlight[s] =
                std::max(inFlight[s], static_cast<double>(passes[s] * plan.pp) / static_cast<double>(positions));
        }
    }
    for (std::size_t s = 0; s < stages.size(); ++s) {
        stages[s].memory.activations += Bytes(peaks[s]);
        stages[s].peakInFlight = static_cast<int>(std::ceil(inFlight[s] - 1e-9));
    }
}

/// Where the time of each stage went, mean over its replicas, and the mean over stages.
struct StepCosts {
    std::vector<CostVector> ofStage;
    CostVector mean;
    double busiest = 0.0;  ///< own work of the busiest device
};
StepCosts stepCosts(const ParallelPlan& plan, const IndexedWorkload& workload, const TaskCosts& costs,
                    const ReplicaRuns& runs, const std::vector<StageEndCosts>& ends, const StepEndTimes& times) {
    StepCosts sum;
    for (std::size_t s = 0; s < ends.size(); ++s) {
        CostVector stage;
        for (const ReplicaRun& run : runs.kinds) {
            CostVector busy = busyOf(run, workload, costs, runs.layout, static_cast<int>(s));
            addEnd(busy, ends[s], times, run, s);
            sum.busiest = std::max(sum.busiest, busy.work());
            stage.add(busy, static_cast<double>(run.count) / plan.dp);
        }
        stage[CostClass::bubble] = std::max(0.0, times.step - stage.total());
        sum.mean.add(stage, 1.0 / plan.pp);
        sum.ofStage.push_back(stage);
    }
    return sum;
}

StepMetrics metricsOf(const ModelSpec& model, const ParallelPlan& plan, const IndexedWorkload& workload,
                      const CostModel& cost, const StepCosts& costs, double step) {
    const CostVector& mean = costs.mean;
    const double busy = mean.total() - mean[CostClass::bubble];
    const double deviceSeconds = step * plan.worldSize();
    const double perDevice = modelFlops(model, workload.tokens, workload.pairs).value() / deviceSeconds;
    const double executed = hardwareFlops(model, plan, workload.tokens, workload.pairs).value() / deviceSeconds;
    const double peak = cost.cluster().gpu.peak(plan.precision).value();
    StepMetrics metrics;
    metrics.step = Seconds(step);
    metrics.relativeSigma = busy > 0.0 ? mean.sigmaSeconds / busy : 0.0;
    metrics.tokensPerSecondPerGpu = workload.tokens / deviceSeconds;
    metrics.modelTflopsPerGpu = perDevice / 1e12;
    metrics.mfu = perDevice / peak;
    metrics.hfu = executed / peak;
    metrics.bubbleFraction = mean[CostClass::bubble] / step;
    metrics.exposedCommFraction = mean.communication() / step;
    metrics.imbalance = costs.busiest / mean.work();
    return metrics;
}

void addWarnings(Prediction& prediction, const CostModel& cost) {
    const GpuSpec& gpu = cost.cluster().gpu;
    if (prediction.metrics.peakMemory > gpu.memory) {
        prediction.warnings.push_back(fmt::format("the plan needs {:.1f} GiB on its fullest stage; {} has {:.1f} GiB",
                                                  prediction.metrics.peakMemory / 1_GiB, gpu.name, gpu.memory / 1_GiB));
    }
    if (cost.calibration().device(gpu.name) == nullptr) {
        prediction.warnings.push_back(
            fmt::format("no calibration for {}: times come from its data sheet and usual efficiencies", gpu.name));
    }
}

}  // namespace

Prediction predict(const ModelSpec& model, const ParallelPlan& plan, const IndexedWorkload& workload,
                   const CostModel& cost, const PredictOptions& options, PredictMemo& memo) {
    validate(model);
    validate(plan, model, cost.cluster());
    requireReplicas(workload, plan);

    const PlanGroups groups(model, plan, cost.cluster());
    Schedule layout = layoutOf(plan);
    const TaskCosts costs(model, plan, cost, groups, workload.shapes, layout, memo);
    const std::vector<StageParameters> parameters = stageParameters(model, plan);
    const std::vector<StageEndCosts> ends = endsOf(model, plan, cost, groups, parameters);
    const bool draw = options.timeline || options.operatorSpans;
    const RunBy by = draw                        ? RunBy::simulation
                     : options.boundInsteadOfRun ? RunBy::closedFormOrBound
                                                 : RunBy::closedFormOrSimulation;
    const double slowdown = cost.runtime().overlapSlowdown;
    const ReplicaRuns runs =
        runReplicas(workload, costs, plan, cost.cluster(), ends, std::move(layout), slowdown, by, memo);
    const StepEndTimes times = endTimesOf(plan, runs, costs, ends, slowdown);

    Prediction prediction;
    prediction.isBound = runs.bound();
    prediction.stages.reserve(static_cast<std::size_t>(plan.pp));
    for (int stage = 0; stage < plan.pp; ++stage)
        prediction.stages.push_back(memoryOf(model, plan, parameters[static_cast<std::size_t>(stage)], costs, stage));
    addPeakActivations(prediction.stages, plan, runs, workload, costs, memo);
    for (StagePrediction& stage : prediction.stages) {
        stage.memory.framework = cost.runtime().fixedMemory + cost.runtime().allocatorShare * stage.memory.activations;
    }
    Bytes peak{};
    for (const StagePrediction& stage : prediction.stages) peak = std::max(peak, stage.memory.total());
    prediction.metrics.step = Seconds(times.step);
    prediction.metrics.peakMemory = peak;
    if (prediction.isBound) return prediction;

    const StepCosts step = stepCosts(plan, workload, costs, runs, ends, times);
    prediction.metrics = metricsOf(model, plan, workload, cost, step, times.step);
    prediction.metrics.peakMemory = peak;
    for (std::size_t s = 0; s < prediction.stages.size(); ++s) {
        prediction.stages[s].compute = Seconds(step.ofStage[s].work());
        prediction.stages[s].exposedComm = Seconds(step.ofStage[s].communication());
        prediction.stages[s].idle = Seconds(step.ofStage[s][CostClass::bubble]);
    }
    for (std::size_t i = 0; i < kCostClasses; ++i)
        prediction.breakdown.emplace(name(static_cast<CostClass>(i)), Seconds(step.mean.seconds[i]));
    addWarnings(prediction, cost);
    if (draw) {
        prediction.timeline =
            drawStep({model, plan, cost, groups, workload, costs, runs, ends, times}, options.operatorSpans);
    }
    return prediction;
}

Prediction predict(const ModelSpec& model, const ParallelPlan& plan, const IndexedWorkload& workload,
                   const CostModel& cost, const PredictOptions& options) {
    PredictMemo memo;
    return predict(model, plan, workload, cost, options, memo);
}

Prediction predict(const ModelSpec& model, const ParallelPlan& plan, const Workload& workload, const CostModel& cost,
                   const PredictOptions& options) {
    return predict(model, plan, IndexedWorkload(workload), cost, options);
}

CostModel costModelOf(const Scenario& scenario) {
    return {scenario.cluster, scenario.calibration, scenario.runtime};
}

Prediction predict(const Scenario& scenario, const PredictOptions& options) {
    validate(scenario.cluster);
    return predict(scenario.model, scenario.plan, scenario.workload, costModelOf(scenario), options);
}

}  // namespace orrery
