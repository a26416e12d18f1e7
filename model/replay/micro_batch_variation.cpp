#include "model/replay/micro_batch_variation.hpp"

#include <cmath>
#include <map>
#include <tuple>

namespace orrery {
namespace {

constexpr std::size_t kFewestPairs = 8;  ///< of forward and backward passes for a correlation

struct Mean {
    double sum = 0.0;
    std::size_t count = 0;
    [[nodiscard]] double value() const { return count == 0 ? 0.0 : sum / static_cast<double>(count); }
    void add(double x) {
        sum += x;
        ++count;
    }
};

using WorkerKey = std::tuple<std::uint16_t, int, int, int>;  // type, dp, stage, chunk

WorkerKey workerKey(const ReplayOp& op) {
    return {op.type, op.dp, op.stage, op.chunk};
}

std::map<WorkerKey, Mean> workerMeans(const ReplayGraph& graph) {
    std::map<WorkerKey, Mean> means;
    for (std::size_t id = 0; id < graph.job().ops.size(); ++id) {
        const auto& op = graph.job().ops[id];
        if (isPass(graph.type(op).role)) means[workerKey(op)].add(graph.recorded()[id]);
    }
    return means;
}

}  // namespace

std::vector<double> evenWithinWorkers(const ReplayGraph& graph) {
    const auto means = workerMeans(graph);
    std::vector<double> durations = graph.recorded();
    for (std::size_t id = 0; id < durations.size(); ++id) {
        const auto& op = graph.job().ops[id];
        if (isPass(graph.type(op).role)) durations[id] = means.at(workerKey(op)).value();
    }
    return durations;
}

std::vector<double> evenBetweenStages(const ReplayGraph& graph) {
    std::map<std::tuple<std::uint16_t, int, int>, Mean> byStage;
    std::map<std::uint16_t, Mean> byType;
    for (std::size_t id = 0; id < graph.job().ops.size(); ++id) {
        const auto& op = graph.job().ops[id];
        if (!isPass(graph.type(op).role)) continue;
        byStage[{op.type, op.stage, op.chunk}].add(graph.recorded()[id]);
        byType[op.type].add(graph.recorded()[id]);
    }
    std::vector<double> durations = graph.recorded();
    for (std::size_t id = 0; id < durations.size(); ++id) {
        const auto& op = graph.job().ops[id];
        if (!isPass(graph.type(op).role)) continue;
        const double stage = byStage[{op.type, op.stage, op.chunk}].value();
        if (stage > 0.0) durations[id] *= byType[op.type].value() / stage;
    }
    return durations;
}

double forwardBackwardCorrelation(const ReplayGraph& graph) {
    const auto means = workerMeans(graph);
    // Of one micro-batch at one worker: forward and backward, each less the worker's mean.
    std::map<std::tuple<int, int, int, int, int>, std::pair<const double*, const double*>> pairs;
    std::vector<double> deviation = graph.recorded();
    for (std::size_t id = 0; id < deviation.size(); ++id) {
        const auto& op = graph.job().ops[id];
        const auto role = graph.type(op).role;
        if ((role != OpRole::forward && role != OpRole::backward) || op.microBatch < 0) continue;
        deviation[id] -= means.at(workerKey(op)).value();
        auto& pair = pairs[{op.step, op.dp, op.stage, op.chunk, op.microBatch}];
        (role == OpRole::forward ? pair.first : pair.second) = &deviation[id];
    }
    double xx = 0.0, yy = 0.0, xy = 0.0;
    std::size_t count = 0;
    for (const auto& [key, pair] : pairs) {
        if (pair.first == nullptr || pair.second == nullptr) continue;
        xx += *pair.first * *pair.first;
        yy += *pair.second * *pair.second;
        xy += *pair.first * *pair.second;
        ++count;
    }
    return count < kFewestPairs || xx <= 0.0 || yy <= 0.0 ? 0.0 : xy / std::sqrt(xx * yy);
}

}  // namespace orrery
