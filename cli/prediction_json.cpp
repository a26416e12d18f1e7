#include "cli/prediction_json.hpp"

namespace orrery::cli {
namespace {

using Json = nlohmann::ordered_json;

double gib(Bytes bytes) {
    return bytes / 1_GiB;
}

}  // namespace

Json memoryJson(const MemoryUse& memory) {
    return {{"weights", gib(memory.weights)},     {"gradients", gib(memory.gradients)},
            {"optimizer", gib(memory.optimizer)}, {"activations", gib(memory.activations)},
            {"buffers", gib(memory.buffers)},     {"framework", gib(memory.framework)}};
}

Json toJson(const Scenario& scenario, const Prediction& prediction, const std::string& calibrationName) {
    const StepMetrics& metrics = prediction.metrics;
    Json stages = Json::array();
    for (const auto& stage : prediction.stages) {
        stages.push_back({{"stage", stage.stage},
                          {"compute_s", stage.compute.value()},
                          {"exposed_comm_s", stage.exposedComm.value()},
                          {"idle_s", stage.idle.value()},
                          {"peak_in_flight", stage.peakInFlight},
                          {"peak_memory_gib", gib(stage.memory.total())},
                          {"memory_gib", memoryJson(stage.memory)}});
    }
    Json breakdown = Json::object();
    for (const auto& [part, seconds] : prediction.breakdown) breakdown[part] = seconds.value();
    return {{"scenario", scenario.name},
            {"step_s", metrics.step.value()},
            {"step_relative_sigma", metrics.relativeSigma},
            {"tokens_per_s_per_gpu", metrics.tokensPerSecondPerGpu},
            {"model_tflops_per_gpu", metrics.modelTflopsPerGpu},
            {"mfu", metrics.mfu},
            {"hfu", metrics.hfu},
            {"bubble_fraction", metrics.bubbleFraction},
            {"exposed_comm_fraction", metrics.exposedCommFraction},
            {"imbalance", metrics.imbalance},
            {"peak_memory_gib", gib(metrics.peakMemory)},
            {"device_memory_gib", gib(scenario.cluster.gpu.memory)},
            {"stages", stages},
            {"breakdown_s", breakdown},
            {"calibration", calibrationName},
            {"framework", scenario.runtime.name.empty() ? "ideal" : scenario.runtime.name},
            {"warnings", prediction.warnings}};
}

}  // namespace orrery::cli
