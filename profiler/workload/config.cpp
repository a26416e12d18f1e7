#include "profiler/workload/config.hpp"

#include <numeric>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery::workload {

std::vector<int> stageLayers(const JobConfig& config) {
    if (!config.layersPerStage.empty()) return config.layersPerStage;
    std::vector<int> layers(static_cast<std::size_t>(config.pp), config.model.layers / config.pp);
    for (int stage = 0; stage < config.model.layers % config.pp; ++stage) ++layers[static_cast<std::size_t>(stage)];
    return layers;
}

void validate(const JobConfig& config, int worldSize) {
    const TransformerConfig& model = config.model;
    const auto positive = [](const char* option, int value) {
        if (value <= 0) throw InputError(fmt::format("{} {}: must be a positive number", option, value));
    };
    positive("--layers", model.layers);
    positive("--hidden", model.hidden);
    positive("--heads", model.heads);
    positive("--kv-heads", model.kvHeads);
    positive("--ffn", model.ffn);
    positive("--vocab", model.vocab);
    positive("--pp", config.pp);
    positive("--dp", config.dp);
    positive("--micro-batches", config.microBatches);
    positive("--tokens-per-micro-batch", config.tokensPerMicroBatch);
    positive("--steps", config.steps);
    if (config.warmup < 0) throw InputError(fmt::format("--warmup {}: must be 0 or more", config.warmup));
    if (!(config.learningRate > 0.0F)) throw InputError("--learning-rate: must be above 0");
    if (model.vocab < 3) throw InputError(fmt::format("--vocab {}: must be at least 3", model.vocab));
    if (model.hidden % model.heads != 0) {
        throw InputError(
            fmt::format("--hidden {} is not a multiple of --heads {}; choose a multiple", model.hidden, model.heads));
    }
    if (model.headDim() % 2 != 0) {
        throw InputError(
            fmt::format("--hidden {} / --heads {} gives an odd head size; rotary positions need an even one",
                        model.hidden, model.heads));
    }
    if (model.heads % model.kvHeads != 0) {
        throw InputError(
            fmt::format("--heads {} is not a multiple of --kv-heads {}; choose a divisor", model.heads, model.kvHeads));
    }
    const std::int64_t needed = std::int64_t{config.pp} * config.dp;
    if (needed != worldSize) {
        throw InputError(fmt::format("--pp {} x --dp {} needs {} processes, mpirun started {}; use mpirun -n {}",
                                     config.pp, config.dp, needed, worldSize, needed));
    }
    if (model.layers < config.pp) {
        throw InputError(
            fmt::format("--layers {} cannot fill --pp {} stages; use fewer stages", model.layers, config.pp));
    }
    if (!config.layersPerStage.empty()) {
        const int total = std::accumulate(config.layersPerStage.begin(), config.layersPerStage.end(), 0);
        for (const int layers : config.layersPerStage) positive("--layers-per-stage", layers);
        if (std::ssize(config.layersPerStage) != config.pp || total != model.layers) {
            throw InputError(
                fmt::format("--layers-per-stage has {} entries that sum to {}; give {} entries that sum to {}",
                            config.layersPerStage.size(), total, config.pp, model.layers));
        }
    }
}

}  // namespace orrery::workload
