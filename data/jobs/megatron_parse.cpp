#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "data/jobs/megatron_arguments.hpp"
#include "data/jobs/shell_words.hpp"
#include "data/scenario/stage_text.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// Flags and their values as written; a flag that stands twice keeps its last values, as argparse does.
class Arguments {
  public:
    Arguments(const std::vector<std::string>& words, std::string name) : name_(std::move(name)) {
        std::string current;
        for (const std::string& word : words) {
            if (!word.starts_with("--") || word.size() == 2) {
                if (!current.empty()) values_[current].push_back(word);
                continue;
            }
            const std::size_t equals = word.find('=');
            current = word.substr(0, equals);
            values_[current].clear();
            if (equals != std::string::npos) values_[current].push_back(word.substr(equals + 1));
        }
    }

    [[nodiscard]] bool has(const std::string& flag) {
        used_.insert(flag);
        return values_.contains(flag);
    }
    [[nodiscard]] std::string text(const std::string& flag, const std::string& otherwise = {}) {
        if (!has(flag)) return otherwise;
        const auto& values = values_.at(flag);
        if (values.empty()) throw InputError(fmt::format("{}: {} has no value", name_, flag));
        return values.front();
    }
    [[nodiscard]] const std::vector<std::string>& list(const std::string& flag) { return values_[flag]; }

    [[nodiscard]] std::int64_t number(const std::string& flag, std::int64_t otherwise) {
        if (!has(flag)) return otherwise;
        const std::string word = text(flag);
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || value < 0 || value > (std::int64_t{1} << 40))
            throw InputError(fmt::format(
                "{}: {} is '{}'; give a whole number (a variable has to be set in the same text)", name_, flag, word));
        return value;
    }
    [[nodiscard]] int count(const std::string& flag, int otherwise) {
        const std::int64_t value = number(flag, otherwise);
        if (value > 10'000'000) throw InputError(fmt::format("{}: {} is {}, which is too large", name_, flag, value));
        return static_cast<int>(value);
    }
    [[nodiscard]] std::int64_t needed(const std::string& flag) {
        if (!has(flag))
            throw InputError(fmt::format("{}: {} is missing; is this a Megatron-LM command line?", name_, flag));
        return number(flag, 0);
    }
    [[nodiscard]] bool empty() const { return values_.empty(); }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    std::string name_;
    std::map<std::string, std::vector<std::string>> values_;
    std::set<std::string> used_;
};

void readAttention(Arguments& args, ModelSpec& model) {
    model.heads = args.needed("--num-attention-heads");
    model.kvHeads = args.has("--group-query-attention") ? args.number("--num-query-groups", 1) : model.heads;
    model.attention = model.kvHeads < model.heads ? AttentionKind::groupedQuery : AttentionKind::multiHead;
    model.headDim = args.number("--kv-channels", model.heads > 0 ? model.hidden / model.heads : 0);
    if (args.has("--multi-latent-attention")) {
        model.attention = AttentionKind::latent;
        model.kvHeads = model.heads;
        model.headDim = args.number("--qk-head-dim", 128);
        model.latent.queryRank = args.number("--q-lora-rank", 0);
        model.latent.kvRank = args.number("--kv-lora-rank", 32);
        model.latent.ropeHeadDim = args.number("--qk-pos-emb-head-dim", 64);
        model.latent.valueHeadDim = args.number("--v-head-dim", 128);
    }
    if (args.has("--window-size")) {
        const std::string text = args.text("--window-size");
        const std::size_t digit = text.find_first_of("0123456789");
        if (digit != std::string::npos) model.slidingWindow = std::strtoll(text.c_str() + digit, nullptr, 10);
        model.fullAttentionEvery = args.number("--window-attn-skip-freq", 0);
    }
}

/// "([0]*3+[1]*58)": leading zeros are dense layers; a number n: one layer of n has experts.
void readLayerFrequency(Arguments& args, MoeSpec& moe) {
    const std::string text = args.text("--moe-layer-freq", "1");
    if (text.find('[') == std::string::npos) {
        moe.everyLayers = std::max<std::int64_t>(1, args.number("--moe-layer-freq", 1));
        return;
    }
    long long dense = 0;
    if (std::sscanf(text.c_str(), " ( [ 0 ] * %lld", &dense) == 1 ||
        std::sscanf(text.c_str(), "[0]*%lld", &dense) == 1 || std::sscanf(text.c_str(), "([0]*%lld", &dense) == 1) {
        moe.denseLayers = dense;
    } else if (text.find("[0]") != std::string::npos) {
        throw InputError(
            fmt::format("{}: --moe-layer-freq '{}' is not understood; only leading dense layers, as "
                        "([0]*3+[1]*58), or a number are",
                        args.name(), text));
    }
}

void readExperts(Arguments& args, ModelSpec& model, ParallelPlan& plan) {
    model.moe.experts = args.number("--num-experts", 0);
    if (model.moe.experts == 0) return;
    MoeSpec& moe = model.moe;
    moe.topK = args.number("--moe-router-topk", 2);
    moe.ffnHidden = args.number("--moe-ffn-hidden-size", model.ffnHidden);
    moe.sharedFfn = args.number("--moe-shared-expert-intermediate-size", 0);
    readLayerFrequency(args, moe);
    if (args.has("--moe-expert-capacity-factor"))
        moe.capacityFactor = std::strtod(args.text("--moe-expert-capacity-factor").c_str(), nullptr);
    plan.ep = args.count("--expert-model-parallel-size", 1);
    plan.etp = args.count("--expert-tensor-parallel-size", plan.tp);
    if (args.has("--moe-enable-deepep") || args.text("--moe-flex-dispatcher-backend") == "deepep")
        plan.expertDispatch = ExpertDispatch::deduplicated;
    if (args.has("--moe-shared-expert-overlap")) plan.expertOverlap = ExpertOverlap::sharedExperts;
    if (args.has("--overlap-moe-expert-parallel-comm")) plan.expertOverlap = ExpertOverlap::microBatch;
}

ModelSpec readModel(Arguments& args, ParallelPlan& plan) {
    ModelSpec model;
    model.layers = args.needed("--num-layers");
    model.hidden = args.needed("--hidden-size");
    model.gatedMlp = args.has("--swiglu");
    model.ffnHidden =
        args.number("--ffn-hidden-size", model.gatedMlp ? (4 * model.hidden * 2 / 3 + 63) / 64 * 64 : 4 * model.hidden);
    readAttention(args, model);
    model.norm = args.text("--normalization", "LayerNorm") == "RMSNorm" ? NormKind::rmsNorm : NormKind::layerNorm;
    model.biases = !args.has("--disable-bias-linear");
    model.tiedEmbeddings = !args.has("--untie-embeddings-and-output-weights");
    model.learnedPositions = args.text("--position-embedding-type", "learned_absolute") == "learned_absolute" &&
                             !args.has("--use-rotary-position-embeddings");
    if (model.learnedPositions)
        model.maxPositions = args.number("--max-position-embeddings", args.number("--seq-length", 2048));
    model.dropout = std::strtod(args.text("--hidden-dropout", "0.1").c_str(), nullptr) > 0.0;
    model.mtpLayers = args.number("--mtp-num-layers", 0);
    model.layerPattern = args.text("--hybrid-override-pattern");
    if (args.has("--mamba-num-heads") || !model.layerPattern.empty()) {
        model.stateSpace.headDim = args.number("--mamba-head-dim", 64);
        model.stateSpace.heads = args.number("--mamba-num-heads", 2 * model.hidden / model.stateSpace.headDim);
        model.stateSpace.stateDim = args.number("--mamba-state-dim", 128);
        model.stateSpace.groups = args.number("--mamba-num-groups", 8);
    }
    const std::int64_t multiple = args.number("--make-vocab-size-divisible-by", 128) * plan.tp;
    const std::int64_t vocab = args.number("--vocab-size", args.number("--padded-vocab-size", 0));
    model.vocab = multiple > 0 ? (vocab + multiple - 1) / multiple * multiple : vocab;
    return model;
}

void readPipeline(Arguments& args, const ModelSpec& model, ParallelPlan& plan) {
    if (args.has("--num-virtual-stages-per-pipeline-rank"))
        plan.vpp = args.count("--num-virtual-stages-per-pipeline-rank", 1);
    if (args.has("--num-layers-per-virtual-pipeline-stage")) {
        const int layers = std::max(1, args.count("--num-layers-per-virtual-pipeline-stage", 1));
        plan.vpp = static_cast<int>(model.layers / plan.pp / layers);
    }
    if (args.has("--pipeline-model-parallel-layout")) {
        PipelineLayout layout;
        try {
            layout = parsePipelineLayout(args.text("--pipeline-model-parallel-layout"));
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: --pipeline-model-parallel-layout: {}", args.name(), error.what()));
        }
        plan.vpp = static_cast<int>(layout.layers.size()) / std::max(1, plan.pp);
        plan.layersPerStage = std::move(layout.layers);
        plan.mtpSlot = layout.mtpSlot;
    }
    plan.vpp = std::max(1, plan.vpp);
    plan.schedule = plan.vpp > 1 ? ScheduleKind::interleaved : ScheduleKind::oneFOneB;
    plan.firstStageLayers = args.count("--decoder-first-pipeline-num-layers", 0);
    plan.lastStageLayers = args.count("--decoder-last-pipeline-num-layers", 0);
    plan.embeddingAsLayer = args.has("--account-for-embedding-in-pipeline-split");
    plan.lossAsLayer = args.has("--account-for-loss-in-pipeline-split");
}

void readContext(Arguments& args, ParallelPlan& plan) {
    const std::string type = args.text("--cp-comm-type", "p2p");
    if (type == "a2a") plan.cpAllToAll = plan.cp;
    if (type == "allgather") plan.contextComm = ContextComm::allGather;
    if (type == "a2a+p2p" && args.has("--hierarchical-context-parallel-sizes"))
        plan.cpAllToAll = args.count("--hierarchical-context-parallel-sizes", 1);
}

void readRecompute(Arguments& args, ParallelPlan& plan) {
    const std::string granularity = args.text("--recompute-granularity");
    if (granularity == "full") plan.recompute = Recompute::full;
    if (granularity == "selective" || args.has("--recompute-activations")) plan.recompute = Recompute::selective;
    if (plan.recompute == Recompute::full && args.text("--recompute-method", "uniform") == "block")
        plan.recomputeLayers = args.count("--recompute-num-layers", 0);
    if (plan.recompute != Recompute::selective || !args.has("--recompute-modules")) return;
    plan.recomputeModules = 0;
    for (const std::string& word : args.list("--recompute-modules")) {
        const auto module = parseRecomputeModule(word);
        if (!module)
            throw InputError(
                fmt::format("{}: --recompute-modules: '{}' is not known here; known are core_attn, "
                            "layernorm, mla_up_proj, moe_act, mlp, moe",
                            args.name(), word));
        plan.recomputeModules = static_cast<std::uint8_t>(plan.recomputeModules | *module);
    }
}

void readPrecision(Arguments& args, ParallelPlan& plan) {
    plan.parameterType = args.has("--bf16") ? DType::bf16 : args.has("--fp16") ? DType::fp16 : DType::fp32;
    plan.precision = plan.parameterType;
    if (args.has("--fp8-format") || args.has("--fp8-hybrid")) plan.precision = DType::fp8;
    if (args.has("--fp4-format")) plan.precision = DType::fp4;
    const std::string recipe = args.text("--fp8-recipe", "delayed");
    plan.fp8Recipe = recipe == "tensorwise"  ? Fp8Recipe::current
                     : recipe == "blockwise" ? Fp8Recipe::block
                     : recipe == "mxfp8"     ? Fp8Recipe::mx
                                             : Fp8Recipe::delayed;
    plan.gradientType = args.has("--grad-reduce-in-bf16") ? DType::bf16 : DType::fp32;
    // Megatron Core attends in fused kernels unless it is told otherwise; the legacy layers only with this flag.
    plan.flashAttention = !args.has("--use-legacy-models") || args.has("--use-flash-attn");
    if (args.text("--attention-backend") == "unfused") plan.flashAttention = false;
}

void readSharding(Arguments& args, ParallelPlan& plan) {
    if (args.has("--use-distributed-optimizer")) plan.sharding = Sharding::zero1;
    const std::string strategy = args.text("--data-parallel-sharding-strategy");
    if (strategy == "optim_grads") plan.sharding = Sharding::zero2;
    if (strategy == "optim_grads_params" || args.has("--use-torch-fsdp2")) plan.sharding = Sharding::zero3;
    plan.overlapGradReduce = args.has("--overlap-grad-reduce");
    plan.overlapParamGather = args.has("--overlap-param-gather");
    plan.clipGradients = std::strtod(args.text("--clip-grad", "1.0").c_str(), nullptr) > 0.0;
}

}  // namespace

JobDescription parseMegatronArguments(std::string_view text, const std::string& name) {
    Arguments args(shellWords(text, name), name);
    JobDescription job;
    job.format = "Megatron-LM arguments";
    ParallelPlan plan;
    plan.tp = std::max(1, args.count("--tensor-model-parallel-size", 1));
    plan.pp = std::max(1, args.count("--pipeline-model-parallel-size", 1));
    plan.cp = std::max(1, args.count("--context-parallel-size", 1));
    plan.sequenceParallel = args.has("--sequence-parallel");
    plan.overlapTp = args.has("--tp-comm-overlap");
    plan.fusedCrossEntropy = args.has("--cross-entropy-loss-fusion");
    job.model = readModel(args, plan);
    if (job.model.vocab == 0) {
        job.model.vocab = 51200;
        job.notes.emplace_back("no --vocab-size: 51,200 is assumed; the tokenizer decides");
    }
    readExperts(args, job.model, plan);
    readPipeline(args, job.model, plan);
    readContext(args, plan);
    readRecompute(args, plan);
    readPrecision(args, plan);
    readSharding(args, plan);
    if (args.has("--seq-length")) job.sequenceLength = args.number("--seq-length", 0);
    if (args.has("--global-batch-size")) job.globalBatch = args.number("--global-batch-size", 0);
    job.microBatch = args.number("--micro-batch-size", 1);
    job.plan = std::move(plan);
    return job;
}

}  // namespace orrery
