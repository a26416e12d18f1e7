#include "model/spec/model_spec.hpp"

#include <fmt/format.h>

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
    if (moe.topK > moe.experts) {
        fail(model, fmt::format("moe.top_k {} is more than its {} experts; choose at most {}", moe.topK, moe.experts,
                                moe.experts));
    }
    if (moe.denseLayers > model.layers) {
        fail(model, fmt::format("moe.dense_layers {} is more than its {} layers", moe.denseLayers, model.layers));
    }
}

}  // namespace

void validate(const ModelSpec& model) {
    requirePositive(model, "layers", model.layers);
    requirePositive(model, "hidden", model.hidden);
    requirePositive(model, "heads", model.heads);
    requirePositive(model, "kv_heads", model.kvHeads);
    requirePositive(model, "head_dim", model.headDim);
    requirePositive(model, "vocab", model.vocab);
    if (model.moe.experts == 0 || model.moe.denseLayers > 0) requirePositive(model, "ffn_hidden", model.ffnHidden);
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
}

}  // namespace orrery
