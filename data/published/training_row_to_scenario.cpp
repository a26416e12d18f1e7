#include "data/published/training_row_to_scenario.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "data/published/measured_step.hpp"
#include "data/published/row_cluster.hpp"
#include "model/predict/stage_balance.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

// GPT-2's 50,257 tokens padded to a multiple of 128 x 8, as Megatron pads them for tensor parallelism.
constexpr std::int64_t kGptVocabulary = 51200;

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

bool isMegatron(const TrainingRow& row) {
    return contains(row.framework, "Megatron") || contains(row.framework, "NeMo") ||
           contains(row.framework, "FlagScale");
}

ModelSpec modelOf(const TrainingRow& row) {
    ModelSpec model;
    model.name = row.modelName;
    model.layers = *row.layers;
    model.hidden = *row.hidden;
    model.heads = *row.heads;
    model.kvHeads = row.kvHeads.value_or(model.heads);
    model.headDim = row.headDim.value_or(model.hidden / model.heads);
    model.gatedMlp = row.gatedMlp;
    model.ffnHidden = row.ffnHidden.value_or(4 * model.hidden);
    model.vocab = row.vocab.value_or(kGptVocabulary);
    // GPT-2 and GPT-3 shapes (plain MLP, multi-head attention) come with biases, layer norms, learned positions and
    // tied embeddings (Brown et al. 2020); gated ones follow Llama (Touvron et al. 2023).
    model.biases = !row.gatedMlp && !contains(row.modelName, "MPT") && !contains(row.modelName, "emotron");
    model.norm = row.gatedMlp ? NormKind::rmsNorm : NormKind::layerNorm;
    model.tiedEmbeddings = !row.gatedMlp && !contains(row.modelName, "emotron");
    model.learnedPositions = !row.gatedMlp && !contains(row.modelName, "emotron");
    model.maxPositions = model.learnedPositions ? row.sequence.value_or(0) : 0;
    model.dropout = model.biases && (isMegatron(row) || contains(row.framework, "OneFlow"));
    model.attention = model.kvHeads == model.heads ? AttentionKind::multiHead : AttentionKind::groupedQuery;
    if (row.attentionKind == "mla") {
        model.attention = AttentionKind::latent;
        model.kvHeads = model.heads;
        // The only latent-attention model of the table is DeepSeek-V3 (arXiv 2412.19437, section 4.2).
        model.latent = {1536, 512, 64, 128};
    }
    if (row.experts && *row.experts > 1) {
        model.moe.experts = *row.experts;
        model.moe.topK = row.topK.value_or(1);
        model.moe.ffnHidden = row.expertFfn.value_or(model.ffnHidden);
        model.moe.sharedFfn = row.sharedFfn.value_or(0);
        model.moe.denseLayers = row.denseLayers.value_or(0);
        // NVIDIA's recipes that drop tokens pad each expert's input to a capacity of 1.
        if (contains(row.modelName, "(tokendrop)")) model.moe.capacityFactor = 1.0;
    }
    if (contains(row.modelName, "GPT-OSS") || contains(row.modelName, "gpt-oss")) {
        model.slidingWindow = 128;  // every other layer (model card of gpt-oss, arXiv 2508.10925, section 2)
        model.fullAttentionEvery = 2;
    }
    return model;
}

/// NVIDIA's recipes of DeepSeek-V3 train one multi-token-prediction layer: the FLOPs per token behind their printed
/// TFLOP/s hold it.
void addPredictionLayers(const TrainingRow& row, ModelSpec& model, std::vector<std::string>& assumptions) {
    if (row.attentionKind != "mla") return;
    model.mtpLayers = 1;
    assumptions.emplace_back("multi-token prediction: one layer, as the printed FLOPs imply");
}

std::uint8_t recomputeModulesOf(const TrainingRow& row) {
    unsigned modules = 0;
    const auto add = [&](std::string_view word, unsigned module) {
        if (contains(row.recompute, word)) modules |= module;
    };
    add("norm", kRecomputeNorm);
    add("act", kRecomputeExpertAct);
    add("moe", kRecomputeExperts);
    add("mla", kRecomputeLatentUp);
    add("attn", kRecomputeCoreAttention);
    if (modules == 0) modules = kRecomputeCoreAttention;
    return static_cast<std::uint8_t>(modules);
}

void setExpertPlan(const TrainingRow& row, ParallelPlan& plan, std::vector<std::string>& assumptions) {
    if (!row.experts || *row.experts <= 1) return;
    plan.ep = static_cast<int>(row.ep.value_or(1));
    plan.etp = plan.ep == 1 ? plan.tp : 1;
    if (plan.tp > 1) plan.sequenceParallel = true;  // Megatron-Core requires it for experts
    // DeepEP and HybridEP send one copy of a token a node; NVIDIA's recipes use them.
    const bool plain = contains(row.notes, "A2A dispatcher") || contains(row.framework, "FlagScale");
    plan.expertDispatch = plain ? ExpertDispatch::allToAll : ExpertDispatch::deduplicated;
    if (!plain) assumptions.emplace_back("expert exchange: one copy of a token a node (DeepEP or HybridEP)");
    if (contains(row.notes, "a2a overlap")) plan.expertOverlap = ExpertOverlap::microBatch;
}

Fp8Recipe fp8RecipeOf(const TrainingRow& row) {
    if (contains(row.precision, "mx")) return Fp8Recipe::mx;
    if (contains(row.precision, "cs")) return Fp8Recipe::current;
    if (contains(row.precision, "block") || contains(row.precision, "sc")) return Fp8Recipe::block;
    return Fp8Recipe::delayed;
}

Sharding shardingOf(const TrainingRow& row, std::vector<std::string>& assumptions) {
    const std::string& text = row.sharding;
    if (contains(text, "grad-op") || contains(text, "zero2")) return Sharding::zero2;
    if (contains(text, "fsdp") || contains(text, "zero3")) return Sharding::zero3;
    if (contains(text, "zero1")) return Sharding::zero1;
    if (!text.empty()) return Sharding::zero0;
    const bool nemo = contains(row.framework, "NeMo");
    assumptions.push_back(nemo ? "sharding blank: distributed optimizer, NeMo's default" : "sharding blank: none");
    return nemo ? Sharding::zero1 : Sharding::zero0;
}

Recompute recomputeOf(const TrainingRow& row, std::vector<std::string>& assumptions) {
    if (row.recompute.starts_with("full")) return Recompute::full;
    if (row.recompute.starts_with("selective")) return Recompute::selective;
    if (row.recompute.empty()) assumptions.emplace_back("recompute blank: none");
    return Recompute::none;
}

DType precisionOf(const TrainingRow& row, std::vector<std::string>& assumptions) {
    if (row.precision.empty() && contains(row.framework, "Bridge")) {
        assumptions.emplace_back("precision blank: fp8, as in the tables of NVIDIA's next release");
        return DType::fp8;
    }
    if (row.precision.empty()) assumptions.emplace_back("precision blank: bf16");
    if (row.precision == "fp16") return DType::fp16;
    if (row.precision == "fp32") return DType::fp32;
    if (contains(row.precision, "fp8")) return DType::fp8;
    if (contains(row.precision, "fp4")) return DType::fp4;
    return DType::bf16;
}

ScheduleKind scheduleOf(const TrainingRow& row, int vpp) {
    if (contains(row.framework, "ZB-1p")) return ScheduleKind::zbH1;
    if (contains(row.framework, "ZB-2p")) return ScheduleKind::zbH2;
    return vpp > 1 ? ScheduleKind::interleaved : ScheduleKind::oneFOneB;
}

/// Zero-bubble experiments and some others put one layer fewer on the first and last stage, beside embedding and
/// output.
std::vector<int> layerMapOf(const TrainingRow& row, const ModelSpec& model, const ParallelPlan& plan,
                            std::vector<std::string>& assumptions) {
    const int slots = plan.pp * plan.vpp;
    if (!contains(row.notes, "first and last stage hold one layer fewer")) {
        const bool even = *row.layers % slots == 0 && model.mtpLayers == 0;
        if (even || slots == 1 || !isMegatron(row)) return {};
        assumptions.emplace_back("layers do not divide into the stages: a map that evens out their work");
        return balancedStageLayers(model, slots, *row.sequence);
    }
    const auto layers = static_cast<int>(*row.layers);
    if (slots < 2 || (layers + 2) % slots != 0) return {};
    std::vector<int> map(static_cast<std::size_t>(slots), (layers + 2) / slots);
    --map.front();
    --map.back();
    return map;
}

/// Whether scores are stored and moved. Megatron-LM before Megatron-Core runs its fused softmax unless
/// --use-flash-attn is given, and OneFlow's GPT has no fused attention; the memory that the zero-bubble rows print
/// (arXiv 2401.10241) is that of stored scores, too.
bool hasUnfusedAttention(const TrainingRow& row, std::vector<std::string>& assumptions) {
    if (!row.attentionImpl.empty()) return contains(row.attentionImpl, "unfused");
    const bool oldMegatron = row.framework == "Megatron-LM" || contains(row.framework, "schedule)");
    const bool unfused = oldMegatron || contains(row.framework, "OneFlow");
    assumptions.emplace_back(unfused ? "attention blank: unfused, the framework's default then"
                                     : "attention blank: fused");
    return unfused;
}

/// Catalog entry of the row's framework. NVIDIA's MLPerf code is one entry, NeMo containers up to 25.04 another; later
/// Megatron-Core, Megatron-Bridge and FlagScale a third; Megatron-LM before Megatron-Core a fourth.
std::string frameworkOf(const TrainingRow& row) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kEntries{{
        {"Megatron-DeepSpeed", "megatron-deepspeed"},
        {"DeepSpeed", "deepspeed"},
        {"MLPerf", "nemo-mlperf"},
        {"NeMo", "nemo"},
        {"Megatron-Core", "megatron-core"},
        {"Megatron-Bridge", "megatron-core"},
        {"FlagScale", "megatron-core"},
        {"Megatron-LM", "megatron-lm"},
        {"FSDP", "pytorch-fsdp"},
        {"torchtitan", "pytorch-fsdp"},
        {"InternEvo", "internevo"},
        {"nanotron", "nanotron"},
        {"OneFlow", "oneflow"},
    }};
    for (const auto& [word, entry] : kEntries) {
        if (contains(row.framework, word)) return std::string(entry);
    }
    return contains(row.framework, "Paddle") ? "paddlenlp" : "megatron-lm";
}

ParallelPlan planOf(const TrainingRow& row, const ModelSpec& model, std::vector<std::string>& assumptions) {
    ParallelPlan plan;
    plan.tp = static_cast<int>(row.tp.value_or(1));
    plan.pp = static_cast<int>(row.pp.value_or(1));
    plan.cp = static_cast<int>(row.cp.value_or(1));
    if (!row.vpp) assumptions.emplace_back("vpp blank: not interleaved");
    plan.vpp = plan.pp > 1 ? static_cast<int>(row.vpp.value_or(1)) : 1;
    const int modelParallel = plan.tp * plan.pp * plan.cp;
    const int gpus = static_cast<int>(*row.gpus);
    if (gpus % modelParallel != 0) {
        throw InputError(
            fmt::format("{}: {} GPUs are not a multiple of tp x pp x cp = {}", row.place, gpus, modelParallel));
    }
    plan.dp = gpus / modelParallel;
    if (row.dp && *row.dp != plan.dp) {
        throw InputError(fmt::format("{}: dp {} is not gpus / (tp pp cp) = {}", row.place, *row.dp, plan.dp));
    }
    plan.sequenceParallel = row.sequenceParallel && plan.tp > 1;
    plan.schedule = scheduleOf(row, plan.vpp);
    plan.recompute = recomputeOf(row, assumptions);
    plan.recomputeModules = recomputeModulesOf(row);
    plan.fp8Recipe = fp8RecipeOf(row);
    setExpertPlan(row, plan, assumptions);
    plan.sharding = shardingOf(row, assumptions);
    plan.precision = precisionOf(row, assumptions);
    plan.parameterType = plan.precision == DType::fp32   ? DType::fp32
                         : plan.precision == DType::fp16 ? DType::fp16
                                                         : DType::bf16;
    plan.flashAttention = !hasUnfusedAttention(row, assumptions);
    // Megatron's distributed optimizer and FSDP reduce in buckets under the backward pass; PyTorch FSDP reduces in
    // bf16.
    const bool fsdp = plan.sharding == Sharding::zero3 || plan.sharding == Sharding::zero2;
    const bool recentMegatron = contains(row.framework, "NeMo") || contains(row.framework, "Bridge") ||
                                contains(row.framework, "Megatron-Core") || contains(row.framework, "FlagScale");
    plan.overlapGradReduce = fsdp || recentMegatron || contains(row.framework, "InternEvo");
    plan.overlapParamGather = fsdp || recentMegatron;
    plan.overlapTp = contains(row.notes, "TP comm") || contains(row.framework, "Bridge");
    // NVIDIA's performance recipes turn grad_reduce_in_fp32 off.
    const bool nvidiaRecipe = contains(row.framework, "NeMo") || contains(row.framework, "Bridge");
    // Megatron-LM of 2020 and OneFlow reduced in fp16, too.
    const bool early = row.gpu.starts_with("V100") && plan.precision == DType::fp16;
    if (fsdp || nvidiaRecipe || early) plan.gradientType = plan.parameterType;
    // So do they fuse the loss; SimuMax's names of its runs say so ("cef").
    plan.fusedCrossEntropy = nvidiaRecipe || contains(row.modelName, "_cef");
    plan.layersPerStage = layerMapOf(row, model, plan, assumptions);
    return plan;
}

}  // namespace

std::string whyNotPredictable(const TrainingRow& row) {
    if (row.complete < 1) return "incomplete: the source leaves out what a prediction needs";
    if (!row.layers || !row.hidden || !row.heads || !row.sequence) return "model shape is not complete";
    if (!row.gpus || !row.globalBatch) return "GPUs or batch not stated";
    if (!measuredStep(row)) return "no measurement that a step time follows from";
    return {};
}

RowScenario toScenario(const TrainingRow& row, const GpuLookup& lookup) {
    const std::optional<GpuSpec> gpu = lookup(row.gpu);
    if (!gpu) throw InputError(fmt::format("{}: the catalog has no GPU '{}'", row.place, row.gpu));
    RowScenario result;
    Scenario& scenario = result.scenario;
    scenario.name = row.id;
    scenario.model = modelOf(row);
    addPredictionLayers(row, scenario.model, result.assumptions);
    if (!row.vocab) result.assumptions.emplace_back("vocabulary blank: 51,200 (GPT-2, padded)");
    result.framework = frameworkOf(row);
    scenario.cluster = clusterOf(row, *gpu, result.assumptions);
    scenario.plan = planOf(row, scenario.model, result.assumptions);
    if (!row.microBatch) result.assumptions.emplace_back("micro-batch blank: 1");
    scenario.workload = Workload::fixed(*row.sequence, *row.globalBatch, row.microBatch.value_or(1), scenario.plan.dp);
    return result;
}

}  // namespace orrery
