#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/jobs/megatron_arguments.hpp"

namespace orrery {
namespace {

class Flags {
  public:
    void flag(std::string_view name) { out_.emplace_back(name); }
    template <typename Value>
    void value(std::string_view name, const Value& value) {
        out_.push_back(fmt::format("{} {}", name, value));
    }
    void note(const std::string& text) { out_.push_back("# " + text); }
    [[nodiscard]] std::vector<std::string> take() { return std::move(out_); }

  private:
    std::vector<std::string> out_;
};

void modelFlags(Flags& flags, const ModelSpec& model) {
    flags.value("--num-layers", model.layers);
    flags.value("--hidden-size", model.hidden);
    flags.value("--ffn-hidden-size", model.ffnHidden);
    flags.value("--num-attention-heads", model.heads);
    if (model.attention == AttentionKind::groupedQuery) {
        flags.flag("--group-query-attention");
        flags.value("--num-query-groups", model.kvHeads);
    }
    if (model.attention == AttentionKind::latent) {
        flags.flag("--multi-latent-attention");
        if (model.latent.queryRank > 0) flags.value("--q-lora-rank", model.latent.queryRank);
        flags.value("--kv-lora-rank", model.latent.kvRank);
        flags.value("--qk-head-dim", model.headDim);
        flags.value("--qk-pos-emb-head-dim", model.latent.ropeHeadDim);
        flags.value("--v-head-dim", model.latent.valueHeadDim);
    } else if (model.headDim * model.heads != model.hidden) {
        flags.value("--kv-channels", model.headDim);
    }
    flags.value("--vocab-size", model.vocab);
    flags.value("--make-vocab-size-divisible-by", 1);
    if (model.gatedMlp) flags.flag("--swiglu");
    flags.value("--normalization", model.norm == NormKind::rmsNorm ? "RMSNorm" : "LayerNorm");
    if (!model.biases) flags.flag("--disable-bias-linear");
    if (!model.tiedEmbeddings) flags.flag("--untie-embeddings-and-output-weights");
    flags.value("--position-embedding-type", model.learnedPositions ? "learned_absolute" : "rope");
    if (!model.dropout) {
        flags.value("--attention-dropout", "0.0");
        flags.value("--hidden-dropout", "0.0");
    }
    if (model.mtpLayers > 0) flags.value("--mtp-num-layers", model.mtpLayers);
    if (model.slidingWindow > 0) flags.value("--window-size", fmt::format("{},0", model.slidingWindow));
    if (model.fullAttentionEvery > 0) flags.value("--window-attn-skip-freq", model.fullAttentionEvery);
    if (!model.layerPattern.empty()) flags.value("--hybrid-override-pattern", fmt::format("'{}'", model.layerPattern));
}

void expertFlags(Flags& flags, const ModelSpec& model, const ParallelPlan& plan) {
    const MoeSpec& moe = model.moe;
    if (moe.experts == 0) return;
    flags.value("--num-experts", moe.experts);
    flags.value("--moe-router-topk", moe.topK);
    flags.value("--moe-ffn-hidden-size", moe.ffnHidden);
    if (moe.sharedFfn > 0) flags.value("--moe-shared-expert-intermediate-size", moe.sharedFfn);
    if (moe.denseLayers > 0) {
        flags.value("--moe-layer-freq",
                    fmt::format("'([0]*{}+[1]*{})'", moe.denseLayers, model.layers - moe.denseLayers));
    } else if (moe.everyLayers > 1) {
        flags.value("--moe-layer-freq", moe.everyLayers);
    }
    flags.flag("--moe-grouped-gemm");
    if (moe.capacityFactor > 0.0) {
        flags.value("--moe-expert-capacity-factor", moe.capacityFactor);
        flags.flag("--moe-pad-expert-input-to-capacity");
    }
    if (plan.expertDispatch == ExpertDispatch::deduplicated) {
        flags.value("--moe-token-dispatcher-type", "flex");
        flags.flag("--moe-enable-deepep");
    } else {
        flags.value("--moe-token-dispatcher-type", "alltoall");
    }
    if (plan.expertOverlap == ExpertOverlap::sharedExperts) flags.flag("--moe-shared-expert-overlap");
    if (plan.expertOverlap == ExpertOverlap::microBatch) flags.flag("--overlap-moe-expert-parallel-comm");
    flags.value("--expert-model-parallel-size", plan.ep);
    flags.value("--expert-tensor-parallel-size", plan.etp);
}

/// Layers a position as Megatron's layout text: E embedding, t layer, m multi-token prediction, L loss.
std::string layoutText(const ParallelPlan& plan, const ModelSpec& model) {
    std::vector<std::string> positions;
    for (std::size_t i = 0; i < plan.layersPerStage.size(); ++i) {
        std::string position(static_cast<std::size_t>(plan.layersPerStage[i]), 't');
        const bool last = i + 1 == plan.layersPerStage.size();
        const bool predicts = model.mtpLayers > 0 && (plan.mtpSlot < 0 ? last : plan.mtpSlot == static_cast<int>(i));
        if (predicts) position += std::string(static_cast<std::size_t>(model.mtpLayers), 'm');
        if (i == 0) position.insert(0, 1, 'E');
        if (last) position += 'L';
        positions.push_back(std::move(position));
    }
    return fmt::format("'{}'", fmt::join(positions, "|"));
}

void pipelineFlags(Flags& flags, const ModelSpec& model, const ParallelPlan& plan) {
    flags.value("--pipeline-model-parallel-size", plan.pp);
    if (!plan.layersPerStage.empty()) {
        flags.value("--pipeline-model-parallel-layout", layoutText(plan, model));
    } else {
        if (plan.vpp > 1) flags.value("--num-virtual-stages-per-pipeline-rank", plan.vpp);
        if (plan.firstStageLayers > 0) flags.value("--decoder-first-pipeline-num-layers", plan.firstStageLayers);
        if (plan.lastStageLayers > 0) flags.value("--decoder-last-pipeline-num-layers", plan.lastStageLayers);
        if (plan.embeddingAsLayer) flags.flag("--account-for-embedding-in-pipeline-split");
        if (plan.lossAsLayer) flags.flag("--account-for-loss-in-pipeline-split");
    }
    if (plan.schedule != ScheduleKind::oneFOneB && plan.schedule != ScheduleKind::interleaved)
        flags.note(fmt::format("Megatron-LM has no flag for the schedule '{}'", name(plan.schedule)));
}

void recomputeFlags(Flags& flags, const ParallelPlan& plan) {
    if (plan.recompute == Recompute::none) return;
    flags.value("--recompute-granularity", name(plan.recompute));
    if (plan.recompute == Recompute::full) {
        flags.value("--recompute-method", plan.recomputeLayers > 0 ? "block" : "uniform");
        flags.value("--recompute-num-layers", std::max(1, plan.recomputeLayers));
        return;
    }
    std::vector<std::string_view> modules;
    for (const RecomputeModule module : {kRecomputeCoreAttention, kRecomputeNorm, kRecomputeLatentUp,
                                         kRecomputeExpertAct, kRecomputeMlp, kRecomputeExperts}) {
        if ((plan.recomputeModules & module) != 0) modules.push_back(name(module));
    }
    flags.value("--recompute-modules", fmt::format("{}", fmt::join(modules, " ")));
}

void shardingFlags(Flags& flags, const ParallelPlan& plan) {
    if (plan.sharding != Sharding::zero0) flags.flag("--use-distributed-optimizer");
    if (plan.sharding >= Sharding::zero2) {
        flags.flag("--use-megatron-fsdp");
        flags.value("--data-parallel-sharding-strategy",
                    plan.sharding == Sharding::zero2 ? "optim_grads" : "optim_grads_params");
    }
    if (plan.shardRanks > 0) flags.value("--num-distributed-optimizer-instances", plan.dataRanks() / plan.shardRanks);
    if (plan.overlapGradReduce) flags.flag("--overlap-grad-reduce");
    if (plan.overlapParamGather) flags.flag("--overlap-param-gather");
    if (plan.gradientType != DType::fp32) flags.flag("--grad-reduce-in-bf16");
}

std::string_view recipeOf(Fp8Recipe recipe) {
    switch (recipe) {
        case Fp8Recipe::current:
            return "tensorwise";
        case Fp8Recipe::block:
            return "blockwise";
        case Fp8Recipe::mx:
            return "mxfp8";
        default:
            return "delayed";
    }
}

void precisionFlags(Flags& flags, const ParallelPlan& plan) {
    if (plan.parameterType == DType::fp16) flags.flag("--fp16");
    if (plan.parameterType == DType::bf16) flags.flag("--bf16");
    if (plan.precision == DType::fp8) {
        flags.value("--fp8-format", "hybrid");
        flags.value("--fp8-recipe", recipeOf(plan.fp8Recipe));
    }
    if (plan.precision == DType::fp4) flags.value("--fp4-format", "e2m1");
    if (plan.flashAttention) flags.flag("--use-flash-attn");
}

void contextFlags(Flags& flags, const ParallelPlan& plan) {
    flags.value("--context-parallel-size", plan.cp);
    if (plan.cp == 1) return;
    if (plan.cpAllToAll == plan.cp) {
        flags.value("--cp-comm-type", "a2a");
    } else if (plan.cpAllToAll > 1) {
        flags.value("--cp-comm-type", "a2a+p2p");
        flags.value("--hierarchical-context-parallel-sizes",
                    fmt::format("{} {}", plan.cpAllToAll, plan.cp / plan.cpAllToAll));
    } else {
        flags.value("--cp-comm-type", plan.contextComm == ContextComm::ring ? "p2p" : "allgather");
    }
}

}  // namespace

std::vector<std::string> megatronArguments(const JobDescription& job) {
    Flags flags;
    modelFlags(flags, job.model);
    const ParallelPlan plan = job.plan.value_or(ParallelPlan{});
    flags.value("--tensor-model-parallel-size", plan.tp);
    if (plan.sequenceParallel) flags.flag("--sequence-parallel");
    if (plan.overlapTp) flags.flag("--tp-comm-overlap");
    if (plan.fusedCrossEntropy) flags.flag("--cross-entropy-loss-fusion");
    pipelineFlags(flags, job.model, plan);
    contextFlags(flags, plan);
    expertFlags(flags, job.model, plan);
    recomputeFlags(flags, plan);
    shardingFlags(flags, plan);
    precisionFlags(flags, plan);
    if (!plan.clipGradients) flags.value("--clip-grad", "0.0");
    if (job.sequenceLength) {
        flags.value("--seq-length", *job.sequenceLength);
        flags.value("--max-position-embeddings", std::max(*job.sequenceLength, job.model.maxPositions));
    }
    if (job.microBatch) flags.value("--micro-batch-size", *job.microBatch);
    if (job.globalBatch) flags.value("--global-batch-size", *job.globalBatch);
    return flags.take();
}

}  // namespace orrery
