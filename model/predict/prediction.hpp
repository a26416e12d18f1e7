// The answer to "what does one step of this job cost?".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/cost/cost_model.hpp"
#include "model/predict/indexed_workload.hpp"
#include "model/spec/parallel_plan.hpp"
#include "model/spec/workload.hpp"
#include "model/timeline/timeline.hpp"

namespace orrery {

/// Everything a prediction needs. A scenario file (data/catalog/scenario) is read into this.
struct Scenario {
    std::string name;
    ModelSpec model;
    ClusterSpec cluster;
    ParallelPlan plan;
    Workload workload;
    Calibration calibration;  ///< empty: data-sheet efficiencies, and a warning says so
    RuntimeSpec runtime;      ///< of the framework; default: an ideal one
};

/// Memory of one device of a stage at its peak, by what it is for.
struct MemoryUse {
    Bytes weights{}, gradients{}, optimizer{}, activations{}, buffers{};
    Bytes framework{};  ///< context, libraries, communicators, and what the allocator holds unused
    [[nodiscard]] Bytes total() const { return weights + gradients + optimizer + activations + buffers + framework; }
};

struct StagePrediction {
    int stage = 0;
    Seconds compute{};      ///< kernels of all micro-batches and the optimizer
    Seconds exposedComm{};  ///< collectives and transfers that nothing hides
    Seconds idle{};         ///< bubble: waiting for micro-batches or peers
    MemoryUse memory;
    Bytes backwardWorking{};  ///< of memory.activations: gradients and recomputed tensors of one backward pass
    int peakInFlight = 0;     ///< micro-batches whose activations are held at the peak
};

/// Seconds of the step of one device, averaged over devices; the entries add up to StepMetrics::step.
using Breakdown = std::map<std::string, Seconds>;

struct StepMetrics {
    Seconds step{};
    double relativeSigma = 0.0;  ///< from the calibration's residuals
    double tokensPerSecondPerGpu = 0.0;
    double modelTflopsPerGpu = 0.0;  ///< model FLOPs (no recomputation, causal attention halved) / step / GPU / 1e12
    double mfu = 0.0;                ///< modelTflopsPerGpu over the peak of the plan's precision
    double hfu = 0.0;                ///< with recomputation counted
    double bubbleFraction = 0.0;     ///< idle time over step time, mean over devices
    double exposedCommFraction = 0.0;
    double imbalance = 1.0;  ///< slowest device's busy time over the mean
    Bytes peakMemory{};      ///< of the fullest stage
};

struct Prediction {
    StepMetrics metrics;
    std::vector<StagePrediction> stages;
    Breakdown breakdown;
    Timeline timeline;  ///< empty unless asked for; one representative rank per (replica, stage)
    std::vector<std::string> warnings;
    bool isBound = false;  ///< metrics.step is a lower bound; only it, the stages' memory and the peak are given
};

class PredictMemo;

struct PredictOptions {
    bool timeline = false;
    bool operatorSpans = false;  ///< the operators inside each task as spans of Lane::op
    /// Where only a run of the schedule can tell the time, a lower bound will do (Prediction::isBound).
    bool boundInsteadOfRun = false;
};

/// The cost model of a scenario, for many plans on its cluster.
[[nodiscard]] CostModel costModelOf(const Scenario& scenario);

/// Predicts one optimizer step. Throws InputError when the plan does not fit model, cluster or workload.
[[nodiscard]] Prediction predict(const Scenario& scenario, const PredictOptions& options = {});

/// The same with a cost model that is already built, for many plans on one cluster.
[[nodiscard]] Prediction predict(const ModelSpec& model, const ParallelPlan& plan, const Workload& workload,
                                 const CostModel& cost, const PredictOptions& options = {});

/// The same for a workload that is already indexed, for many plans of it.
[[nodiscard]] Prediction predict(const ModelSpec& model, const ParallelPlan& plan, const IndexedWorkload& workload,
                                 const CostModel& cost, const PredictOptions& options = {});

/// The same, keeping what later plans have in common with this one (model/predict/predict_memo.hpp).
[[nodiscard]] Prediction predict(const ModelSpec& model, const ParallelPlan& plan, const IndexedWorkload& workload,
                                 const CostModel& cost, const PredictOptions& options, PredictMemo& memo);

}  // namespace orrery
