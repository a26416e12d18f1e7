#include "data/jobs/scenario_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/spec/stage_layout.hpp"

namespace orrery {
namespace {

/// Lines of a table; values that are as by default are left out.
class Lines {
  public:
    void table(std::string_view name) { out_ += fmt::format("{}[{}]\n", out_.empty() ? "" : "\n", name); }
    void number(std::string_view key, std::int64_t value, std::int64_t usual = 0) {
        if (value != usual) out_ += fmt::format("{} = {}\n", key, value);
    }
    void flag(std::string_view key, bool value, bool usual = false) {
        if (value != usual) out_ += fmt::format("{} = {}\n", key, value);
    }
    void text(std::string_view key, std::string_view value) {
        std::string quoted;
        for (const char c : value) {
            if (c == '"' || c == '\\') quoted += '\\';
            quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
        out_ += fmt::format("{} = \"{}\"\n", key, quoted);
    }
    template <typename Value>
    void choice(std::string_view key, Value value, Value usual) {
        if (value != usual) text(key, name(value));
    }
    [[nodiscard]] std::string take() { return std::move(out_); }

  private:
    std::string out_;
};

/// A number that TOML reads as a real one.
std::string realText(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

void latent(Lines& lines, const LatentAttentionSpec& spec) {
    lines.table("model.latent");
    lines.number("query_rank", spec.queryRank);
    lines.number("kv_rank", spec.kvRank);
    lines.number("rope_head_dim", spec.ropeHeadDim);
    lines.number("value_head_dim", spec.valueHeadDim);
}

}  // namespace

std::string modelText(const ModelSpec& model) {
    Lines lines;
    lines.table("model");
    if (!model.name.empty()) lines.text("name", model.name);
    lines.number("layers", model.layers);
    lines.number("hidden", model.hidden);
    lines.number("heads", model.heads);
    lines.number("kv_heads", model.kvHeads);
    lines.number("head_dim", model.headDim);
    lines.number("ffn_hidden", model.ffnHidden);
    lines.number("vocab", model.vocab);
    lines.flag("gated_mlp", model.gatedMlp);
    lines.flag("tied_embeddings", model.tiedEmbeddings);
    lines.flag("biases", model.biases);
    lines.flag("learned_positions", model.learnedPositions);
    lines.number("max_positions", model.maxPositions);
    lines.text("norm", model.norm == NormKind::layerNorm ? "layernorm" : "rmsnorm");
    lines.flag("dropout", model.dropout);
    lines.number("mtp_layers", model.mtpLayers);
    lines.number("sliding_window", model.slidingWindow);
    lines.number("full_attention_every", model.fullAttentionEvery);
    if (!model.layerPattern.empty()) lines.text("layer_pattern", model.layerPattern);
    std::string out = lines.take();
    if (model.latent.kvRank > 0) {
        Lines more;
        latent(more, model.latent);
        out += '\n';
        out += more.take();
    }
    if (model.moe.experts > 0) {
        const MoeSpec& moe = model.moe;
        Lines more;
        more.table("model.moe");
        more.number("experts", moe.experts);
        more.number("top_k", moe.topK);
        more.number("ffn_hidden", moe.ffnHidden);
        more.number("shared_ffn", moe.sharedFfn);
        more.number("dense_layers", moe.denseLayers);
        more.number("every_layers", moe.everyLayers, 1);
        out += '\n';
        out += more.take();
        if (moe.capacityFactor != 0.0) out += fmt::format("capacity_factor = {}\n", realText(moe.capacityFactor));
        if (moe.loadImbalance != 1.0) out += fmt::format("load_imbalance = {}\n", realText(moe.loadImbalance));
    }
    if (model.stateSpace.heads > 0) {
        const StateSpaceSpec& space = model.stateSpace;
        Lines more;
        more.table("model.state_space");
        more.number("heads", space.heads);
        more.number("head_dim", space.headDim);
        more.number("state_dim", space.stateDim);
        more.number("groups", space.groups, 1);
        more.number("conv_width", space.convWidth, 4);
        more.number("chunk", space.chunk, 256);
        more.flag("delta_rule", space.deltaRule);
        out += '\n';
        out += more.take();
    }
    return out;
}

std::string planText(const ParallelPlan& plan) {
    const ParallelPlan usual;
    Lines lines;
    lines.table("plan");
    lines.number("tp", plan.tp);
    lines.number("pp", plan.pp);
    lines.number("vpp", plan.vpp, usual.vpp);
    lines.number("cp", plan.cp, usual.cp);
    lines.number("ep", plan.ep, usual.ep);
    lines.number("etp", plan.etp, usual.etp);
    lines.number("cp_all_to_all", plan.cpAllToAll, usual.cpAllToAll);
    lines.number("shard_ranks", plan.shardRanks, usual.shardRanks);
    lines.flag("sequence_parallel", plan.sequenceParallel);
    lines.choice("schedule", plan.schedule, plan.vpp > 1 ? ScheduleKind::interleaved : ScheduleKind::oneFOneB);
    lines.choice("recompute", plan.recompute, usual.recompute);
    lines.number("recompute_layers", plan.recomputeLayers);
    lines.choice("cp_comm", plan.contextComm, usual.contextComm);
    lines.choice("fp8_recipe", plan.fp8Recipe, usual.fp8Recipe);
    lines.choice("expert_dispatch", plan.expertDispatch, usual.expertDispatch);
    lines.choice("expert_overlap", plan.expertOverlap, usual.expertOverlap);
    lines.choice("sharding", plan.sharding, usual.sharding);
    lines.choice("precision", plan.precision, usual.precision);
    lines.choice("parameter_type", plan.parameterType, usual.parameterType);
    lines.choice("gradient_type", plan.gradientType, usual.gradientType);
    lines.flag("flash_attention", plan.flashAttention, usual.flashAttention);
    lines.flag("overlap_grad_reduce", plan.overlapGradReduce);
    lines.flag("overlap_param_gather", plan.overlapParamGather);
    lines.flag("overlap_tp", plan.overlapTp);
    lines.flag("fused_cross_entropy", plan.fusedCrossEntropy);
    lines.flag("clip_gradients", plan.clipGradients, usual.clipGradients);
    lines.flag("embedding_as_layer", plan.embeddingAsLayer);
    lines.flag("loss_as_layer", plan.lossAsLayer);
    lines.number("first_stage_layers", plan.firstStageLayers);
    lines.number("last_stage_layers", plan.lastStageLayers);
    std::string out = lines.take();
    if (plan.recompute == Recompute::selective && plan.recomputeModules != usual.recomputeModules) {
        std::vector<std::string> modules;
        for (const RecomputeModule module : {kRecomputeCoreAttention, kRecomputeNorm, kRecomputeLatentUp,
                                             kRecomputeExpertAct, kRecomputeMlp, kRecomputeExperts}) {
            if ((plan.recomputeModules & module) != 0) modules.push_back(fmt::format("\"{}\"", name(module)));
        }
        out += fmt::format("recompute_modules = [{}]\n", fmt::join(modules, ", "));
    }
    if (!plan.layersPerStage.empty())
        out += fmt::format("layers_per_stage = [{}]\n", fmt::join(plan.layersPerStage, ", "));
    return out;
}

std::string scenarioText(const JobDescription& job, const ClusterChoice& cluster) {
    std::string out = fmt::format("# From {}.\n", job.format);
    for (const std::string& note : job.notes) out += fmt::format("# {}\n", note);
    out += modelText(job.model);
    out += fmt::format("\n[cluster]\ngpu = \"{}\"\ngpus = {}\n", cluster.gpu, cluster.gpus);
    if (job.plan) {
        out += '\n';
        out += planText(*job.plan);
    }
    out += fmt::format("\n[workload]\nsequence_length = {}\nglobal_batch = {}\n", job.sequenceLength.value_or(4096),
                       job.globalBatch.value_or(256));
    if (job.plan || job.microBatch) out += fmt::format("micro_batch = {}\n", job.microBatch.value_or(1));
    return out;
}

}  // namespace orrery
