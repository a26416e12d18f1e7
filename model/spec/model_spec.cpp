#include "model/spec/model_spec.hpp"

#include <fmt/format.h>

#include "model/spec/layer_kind.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

[[noreturn]] void fail(const ModelSpec& model, const std::string& what) {
    throw InputError(fmt::format("model '{}': {}", model.name, what));
}

void requirePositive(const ModelSpec& model, const char* field, std::int64_t value) {
    if (value <= 0) fail(model, fmt::format("{} is {}; give a positive number", field, value));
}

void requireNotNegative(const ModelSpec& model, const char* field, std::int64_t value) {
    if (value < 0) fail(model, fmt::format("{} is {}; give 0 or a positive number", field, value));
}

void validateExperts(const ModelSpec& model) {
    const MoeSpec& moe = model.moe;
    requireNotNegative(model, "moe.experts", moe.experts);
    if (moe.experts == 0) return;
    requirePositive(model, "moe.top_k", moe.topK);
    requirePositive(model, "moe.ffn_hidden", moe.ffnHidden);
    requireNotNegative(model, "moe.shared_ffn", moe.sharedFfn);
    requireNotNegative(model, "moe.dense_layers", moe.denseLayers);
    requirePositive(model, "moe.every_layers", moe.everyLayers);
    if (!(moe.loadImbalance >= 1.0)) {
        fail(model, fmt::format("moe.load_imbalance is {}; give the fullest rank over the mean, 1 or more",
                                moe.loadImbalance));
    }
    if (!(moe.capacityFactor >= 0.0)) {
        fail(model, fmt::format("moe.capacity_factor is {}; give 0 (dropless) or more", moe.capacityFactor));
    }
    if (moe.topK > moe.experts) {
        fail(model, fmt::format("moe.top_k {} is more than its {} experts; choose at most {}", moe.topK, moe.experts,
                                moe.experts));
    }
    if (moe.denseLayers > model.layers) {
        fail(model, fmt::format("moe.dense_layers {} is more than its {} layers", moe.denseLayers, model.layers));
    }
}

void validatePattern(const ModelSpec& model) {
    requireNotNegative(model, "sliding_window", model.slidingWindow);
    requireNotNegative(model, "full_attention_every", model.fullAttentionEvery);
    const std::size_t wrong = model.layerPattern.find_first_not_of("M*-ELS");
    if (wrong != std::string::npos) {
        fail(model, fmt::format("layer_pattern has the letter '{}' at place {}; use M, *, -, E, L or S",
                                model.layerPattern[wrong], wrong + 1));
    }
    if (model.layerPattern.find('E') != std::string::npos && model.moe.experts == 0)
        fail(model, "layer_pattern has layers of experts (E); give [model.moe]");
    if (model.layerPattern.find_first_of("MS") == std::string::npos) return;
    requirePositive(model, "state_space.heads", model.stateSpace.heads);
    requirePositive(model, "state_space.head_dim", model.stateSpace.headDim);
    requirePositive(model, "state_space.state_dim", model.stateSpace.stateDim);
    requirePositive(model, "state_space.groups", model.stateSpace.groups);
    requirePositive(model, "state_space.conv_width", model.stateSpace.convWidth);
    requirePositive(model, "state_space.chunk", model.stateSpace.chunk);
}

bool hasDenseLayers(const ModelSpec& model) {
    for (std::int64_t index = 0; index < model.layers; ++index) {
        if (layerKind(model, index).feedForward == FeedForward::dense) return true;
        if (model.layerPattern.empty() && model.moe.experts == 0) return true;
    }
    return false;
}

}  // namespace

void validate(const ModelSpec& model) {
    requirePositive(model, "layers", model.layers);
    requirePositive(model, "hidden", model.hidden);
    requirePositive(model, "heads", model.heads);
    requirePositive(model, "kv_heads", model.kvHeads);
    requirePositive(model, "head_dim", model.headDim);
    requirePositive(model, "vocab", model.vocab);
    if (model.learnedPositions) requirePositive(model, "max_positions", model.maxPositions);
    requireNotNegative(model, "mtp_layers", model.mtpLayers);
    if (model.heads % model.kvHeads != 0) {
        fail(model, fmt::format("{} heads are not a multiple of {} kv_heads; each kv head serves equally many heads",
                                model.heads, model.kvHeads));
    }
    if (model.attention == AttentionKind::latent) {
        requirePositive(model, "latent.kv_rank", model.latent.kvRank);
        requirePositive(model, "latent.rope_head_dim", model.latent.ropeHeadDim);
        requirePositive(model, "latent.value_head_dim", model.latent.valueHeadDim);
        requireNotNegative(model, "latent.query_rank", model.latent.queryRank);
    }
    validateExperts(model);
    validatePattern(model);
    if (hasDenseLayers(model)) requirePositive(model, "ffn_hidden", model.ffnHidden);
}

}  // namespace orrery
