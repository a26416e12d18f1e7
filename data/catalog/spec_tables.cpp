#include "data/catalog/spec_tables.hpp"

namespace orrery {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 32U;

std::optional<NormKind> parseNorm(std::string_view text) {
    if (text == "layernorm") return NormKind::layerNorm;
    if (text == "rmsnorm") return NormKind::rmsNorm;
    return std::nullopt;
}

void readMoe(const toml::table& table, const std::string& file, MoeSpec& moe) {
    StrictTable fields(table, "[model.moe]", file);
    const auto size = [&](std::string_view key, std::int64_t& out) {
        if (const auto value = fields.integer(key, 0, kLargestSize)) out = *value;
    };
    size("experts", moe.experts);
    size("top_k", moe.topK);
    size("ffn_hidden", moe.ffnHidden);
    size("shared_ffn", moe.sharedFfn);
    size("dense_layers", moe.denseLayers);
    if (const auto value = fields.integer("every_layers", 1, kLargestSize)) moe.everyLayers = *value;
    if (const auto value = fields.number("capacity_factor", 0.0, 1e3)) moe.capacityFactor = *value;
    if (const auto value = fields.number("load_imbalance", 1.0, 1e3)) moe.loadImbalance = *value;
    fields.finish();
}

void readLatent(const toml::table& table, const std::string& file, LatentAttentionSpec& latent) {
    StrictTable fields(table, "[model.latent]", file);
    const auto size = [&](std::string_view key, std::int64_t& out) {
        if (const auto value = fields.integer(key, 0, kLargestSize)) out = *value;
    };
    size("query_rank", latent.queryRank);
    size("kv_rank", latent.kvRank);
    size("rope_head_dim", latent.ropeHeadDim);
    size("value_head_dim", latent.valueHeadDim);
    fields.finish();
}

void readStateSpace(const toml::table& table, const std::string& file, StateSpaceSpec& space) {
    StrictTable fields(table, "[model.state_space]", file);
    const auto size = [&](std::string_view key, std::int64_t& out) {
        if (const auto value = fields.integer(key, 1, kLargestSize)) out = *value;
    };
    size("heads", space.heads);
    size("head_dim", space.headDim);
    size("state_dim", space.stateDim);
    size("groups", space.groups);
    size("conv_width", space.convWidth);
    size("chunk", space.chunk);
    if (const auto value = fields.boolean("delta_rule")) space.deltaRule = *value;
    fields.finish();
}

}  // namespace

void readModelFields(StrictTable& table, const std::string& file, ModelSpec& model) {
    const auto size = [&](std::string_view key, std::int64_t low, std::int64_t& out) {
        if (const auto value = table.integer(key, low, kLargestSize)) out = *value;
    };
    const auto flag = [&](std::string_view key, bool& out) {
        if (const auto value = table.boolean(key)) out = *value;
    };
    if (const auto name = table.text("name")) model.name = *name;
    size("layers", 1, model.layers);
    size("hidden", 1, model.hidden);
    size("heads", 1, model.heads);
    const bool hadKvHeads = model.kvHeads > 0;
    const bool hadHeadDim = model.headDim > 0;
    size("kv_heads", 1, model.kvHeads);
    size("head_dim", 1, model.headDim);
    if (!table.has("kv_heads") && (!hadKvHeads || table.has("heads"))) model.kvHeads = model.heads;
    if (!table.has("head_dim") && (!hadHeadDim || table.has("heads") || table.has("hidden")) && model.heads > 0) {
        model.headDim = model.hidden / model.heads;
    }
    size("ffn_hidden", 1, model.ffnHidden);
    flag("gated_mlp", model.gatedMlp);
    size("vocab", 1, model.vocab);
    flag("tied_embeddings", model.tiedEmbeddings);
    flag("biases", model.biases);
    flag("learned_positions", model.learnedPositions);
    size("max_positions", 0, model.maxPositions);
    if (const auto norm = table.choice<NormKind>("norm", parseNorm, "layernorm, rmsnorm")) model.norm = *norm;
    flag("dropout", model.dropout);
    size("mtp_layers", 0, model.mtpLayers);
    size("sliding_window", 0, model.slidingWindow);
    size("full_attention_every", 0, model.fullAttentionEvery);
    if (const auto pattern = table.text("layer_pattern")) model.layerPattern = *pattern;
    if (const auto* space = table.table("state_space")) readStateSpace(*space, file, model.stateSpace);
    if (const auto* moe = table.table("moe")) readMoe(*moe, file, model.moe);
    if (const auto* latent = table.table("latent")) readLatent(*latent, file, model.latent);
    model.attention = model.latent.kvRank > 0       ? AttentionKind::latent
                      : model.kvHeads < model.heads ? AttentionKind::groupedQuery
                                                    : AttentionKind::multiHead;
}

LinkLevel readLink(const toml::table& table, const std::string& file) {
    constexpr double kFastest = 1e6;
    StrictTable fields(table, "[[cluster.links]]", file);
    LinkLevel link;
    link.name = fields.text("name").value_or("link");
    link.size = static_cast<int>(fields.integer("size", 0, 1 << 24).value_or(0));
    const auto bandwidth = fields.number("bandwidth_gb_s", 1e-6, kFastest);
    if (!bandwidth) fields.fail("bandwidth_gb_s", "is missing; give 10^9 bytes/s per GPU and direction");
    link.bandwidth = BytesPerSecond(*bandwidth * 1e9);
    link.latency = Seconds(fields.number("latency_us", 0.0, 1e6).value_or(0.0) * 1e-6);
    link.inNetworkReduction = fields.boolean("in_network_reduction").value_or(false);
    fields.finish();
    return link;
}

}  // namespace orrery
