// Models, clusters and plans that several tests of the model share; shapes from the papers named beside them.
#pragma once

#include "model/predict/prediction.hpp"

namespace orrery::specs {

/// GPT shape: multi-head attention, plain MLP of 4h, biases, dropout, learned positions, tied embeddings.
inline ModelSpec gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t vocab = 51200,
                     std::int64_t sequence = 2048) {
    ModelSpec model;
    model.name = "gpt";
    model.layers = layers;
    model.hidden = hidden;
    model.heads = heads;
    model.kvHeads = heads;
    model.headDim = hidden / heads;
    model.ffnHidden = 4 * hidden;
    model.vocab = vocab;
    model.tiedEmbeddings = true;
    model.biases = true;
    model.learnedPositions = true;
    model.maxPositions = sequence;
    model.norm = NormKind::layerNorm;
    model.dropout = true;
    return model;
}

/// Llama shape: grouped-query attention, gated MLP, RMS norms, rotary positions, untied output.
inline ModelSpec llama(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t kvHeads,
                       std::int64_t ffn, std::int64_t vocab) {
    ModelSpec model;
    model.name = "llama";
    model.layers = layers;
    model.hidden = hidden;
    model.heads = heads;
    model.kvHeads = kvHeads;
    model.headDim = hidden / heads;
    model.ffnHidden = ffn;
    model.gatedMlp = true;
    model.vocab = vocab;
    model.attention = AttentionKind::groupedQuery;
    return model;
}
inline ModelSpec llama8B() {
    return llama(32, 4096, 32, 8, 14336, 128256);
}

/// DGX A100-80 nodes: NVLink 3 inside, 200 Gbit/s InfiniBand a GPU between (NVIDIA data sheets).
inline ClusterSpec a100(int gpus) {
    ClusterSpec cluster;
    cluster.name = "dgx-a100";
    cluster.gpu.name = "A100-80";
    cluster.gpu.peaks = {{DType::bf16, 312.0_TFLOPps},
                         {DType::fp16, 312.0_TFLOPps},
                         {DType::tf32, 156.0_TFLOPps},
                         {DType::fp32, 19.5_TFLOPps}};
    cluster.gpu.vectorPeak = 19.5_TFLOPps;
    cluster.gpu.memoryBandwidth = 2039_GBps;
    cluster.gpu.memory = 80_GiB;
    cluster.gpu.multiprocessors = 108;
    cluster.gpu.launchOverhead = 3_us;
    cluster.gpus = gpus;
    cluster.gpusPerNode = 8;
    cluster.links = {{"NVLink3", 8, 300_GBps, 2_us, false}};
    if (gpus > 8) cluster.links.push_back({"InfiniBand HDR", gpus, 25_GBps, 6_us, false});
    return cluster;
}

inline Scenario scenario(ModelSpec model, ParallelPlan plan, std::int64_t sequence, std::int64_t globalBatch,
                         std::int64_t microBatch) {
    Scenario scenario;
    scenario.name = "test";
    scenario.model = std::move(model);
    scenario.plan = std::move(plan);
    scenario.cluster = a100(scenario.plan.worldSize());
    scenario.workload = Workload::fixed(sequence, globalBatch, microBatch, scenario.plan.dp);
    return scenario;
}

inline ParallelPlan plan(int tp, int pp, int dp) {
    ParallelPlan plan;
    plan.tp = tp;
    plan.pp = pp;
    plan.dp = dp;
    return plan;
}

}  // namespace orrery::specs
