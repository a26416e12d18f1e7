#include "data/jobs/hugging_face_config.hpp"

#include <array>
#include <initializer_list>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

using Json = nlohmann::json;
constexpr std::int64_t kLargest = std::int64_t{1} << 32;

class Config {
  public:
    Config(Json json, std::string name) : json_(std::move(json)), name_(std::move(name)) {}

    /// The first of several names for a size.
    [[nodiscard]] std::optional<std::int64_t> size(std::initializer_list<const char*> keys) const {
        for (const char* key : keys) {
            const auto found = json_.find(key);
            if (found == json_.end() || found->is_null()) continue;
            if (!found->is_number_integer() || found->get<std::int64_t>() < 0 || found->get<std::int64_t>() > kLargest)
                throw InputError(fmt::format("{}: \"{}\" is {}; a whole number is needed", name_, key, found->dump()));
            return found->get<std::int64_t>();
        }
        return std::nullopt;
    }
    [[nodiscard]] std::int64_t needed(std::initializer_list<const char*> keys) const {
        if (const auto value = size(keys)) return *value;
        throw InputError(
            fmt::format("{}: \"{}\" is missing; is this the config.json of a language model?", name_, *keys.begin()));
    }
    [[nodiscard]] bool flag(const char* key, bool otherwise) const {
        const auto found = json_.find(key);
        return found != json_.end() && found->is_boolean() ? found->get<bool>() : otherwise;
    }
    [[nodiscard]] std::string text(const char* key) const {
        const auto found = json_.find(key);
        return found != json_.end() && found->is_string() ? found->get<std::string>() : std::string();
    }
    [[nodiscard]] const Json& json() const { return json_; }

  private:
    Json json_;
    std::string name_;
};

void readExperts(const Config& config, ModelSpec& model) {
    const auto experts = config.size({"n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"});
    if (!experts || *experts <= 1) return;
    MoeSpec& moe = model.moe;
    moe.experts = *experts;
    moe.topK = config.needed({"num_experts_per_tok", "num_experts_per_token", "moe_top_k"});
    moe.ffnHidden = config.size({"moe_intermediate_size"}).value_or(model.ffnHidden);
    if (const auto shared = config.size({"shared_expert_intermediate_size"})) {
        moe.sharedFfn = *shared;
    } else if (const auto count = config.size({"n_shared_experts", "num_shared_experts"})) {
        moe.sharedFfn = *count * moe.ffnHidden;
    }
    moe.denseLayers = config.size({"first_k_dense_replace"}).value_or(0);
    moe.everyLayers = std::max<std::int64_t>(1, config.size({"decoder_sparse_step", "moe_layer_freq"}).value_or(1));
}

void readAttention(const Config& config, ModelSpec& model, std::vector<std::string>& notes) {
    model.heads = config.needed({"num_attention_heads", "n_head"});
    model.kvHeads = config.size({"num_key_value_heads"}).value_or(model.heads);
    model.headDim = config.size({"head_dim"}).value_or(model.heads > 0 ? model.hidden / model.heads : 0);
    model.attention = model.kvHeads < model.heads ? AttentionKind::groupedQuery : AttentionKind::multiHead;
    if (const auto rank = config.size({"kv_lora_rank"})) {
        model.attention = AttentionKind::latent;
        model.kvHeads = model.heads;
        model.headDim = config.needed({"qk_nope_head_dim"});
        model.latent.kvRank = *rank;
        model.latent.queryRank = config.size({"q_lora_rank"}).value_or(0);
        model.latent.ropeHeadDim = config.needed({"qk_rope_head_dim"});
        model.latent.valueHeadDim = config.needed({"v_head_dim"});
    }
    const auto window = config.size({"sliding_window"});
    if (window && *window > 0 && config.flag("use_sliding_window", true) &&
        *window < config.size({"max_position_embeddings"}).value_or(kLargest)) {
        model.slidingWindow = *window;
        model.fullAttentionEvery = config.size({"sliding_window_pattern"}).value_or(0);
        if (model.fullAttentionEvery == 0) notes.emplace_back("all layers attend to a sliding window");
    }
}

}  // namespace

JobDescription parseHuggingFaceConfig(std::string_view text, const std::string& name) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) throw InputError(fmt::format("{}: not a JSON object", name));
    if (json.contains("text_config") && json["text_config"].is_object()) json = Json(json["text_config"]);
    if (json.value("is_encoder_decoder", false))
        throw InputError(
            fmt::format("{}: an encoder-decoder model; only decoder-only transformers are modelled", name));
    const Config config(std::move(json), name);
    JobDescription job;
    job.format = "Hugging Face config.json";
    ModelSpec& model = job.model;
    model.name = config.text("_name_or_path");
    if (model.name.empty()) model.name = config.text("model_type");
    const bool gpt2 = config.text("model_type") == "gpt2";
    model.layers = config.needed({"num_hidden_layers", "n_layer"});
    model.hidden = config.needed({"hidden_size", "n_embd"});
    model.ffnHidden = config.size({"intermediate_size", "n_inner", "ffn_dim"}).value_or(4 * model.hidden);
    model.vocab = config.needed({"vocab_size"});
    readAttention(config, model, job.notes);
    readExperts(config, model);
    // Every family since Llama gates its MLP; GPT-2 and its kin do not.
    const bool oldFamily = gpt2 || config.text("model_type") == "gpt_neox" || config.text("model_type") == "opt" ||
                           config.text("model_type") == "bloom" || config.text("model_type") == "falcon";
    model.gatedMlp = !oldFamily;
    model.norm = oldFamily ? NormKind::layerNorm : NormKind::rmsNorm;
    model.biases = oldFamily;
    model.learnedPositions = gpt2 || config.text("model_type") == "opt";
    if (model.learnedPositions)
        model.maxPositions = config.size({"n_positions", "max_position_embeddings"}).value_or(1024);
    model.tiedEmbeddings = config.flag("tie_word_embeddings", oldFamily || config.text("model_type") == "gemma");
    if (const auto ahead = config.size({"num_nextn_predict_layers"}); ahead && *ahead > 0)
        job.notes.push_back(
            fmt::format("{} multi-token-prediction layer(s) left out; mtp_layers = {} adds them", *ahead, *ahead));
    if (const auto longest = config.size({"max_position_embeddings", "n_positions"}))
        job.sequenceLength = std::min<std::int64_t>(*longest, 4096);
    return job;
}

}  // namespace orrery
