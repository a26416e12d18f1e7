#include "data/scenario/plan_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "data/scenario/stage_text.hpp"
#include "data/toml/strict_table.hpp"
#include "model/spec/stage_layout.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {
constexpr std::int64_t kLargest = 1'000'000;
/// Long names of Megatron-LM, NeMo and torchtitan.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kOtherNames{{
    {"tensor_parallel", "tp"},
    {"tensor_model_parallel_size", "tp"},
    {"pipeline_parallel", "pp"},
    {"pipeline_model_parallel_size", "pp"},
    {"virtual_pipeline_model_parallel_size", "vpp"},
    {"data_parallel", "dp"},
    {"data_parallel_replicate_degree", "dp"},
    {"context_parallel", "cp"},
    {"context_parallel_size", "cp"},
    {"expert_parallel", "ep"},
    {"expert_model_parallel_size", "ep"},
    {"expert_tensor_parallel_size", "etp"},
    {"zero", "sharding"},
    {"micro_batch_size", "micro_batch"},
    {"account_for_embedding_in_pipeline_split", "embedding_as_layer"},
    {"account_for_loss_in_pipeline_split", "loss_as_layer"},
    {"decoder_first_pipeline_num_layers", "first_stage_layers"},
    {"decoder_last_pipeline_num_layers", "last_stage_layers"},
    {"pipeline_model_parallel_layout", "pipeline_layout"},
}};
constexpr std::string_view kTypes = "fp32, tf32, fp16, bf16, fp8, fp4";

/// A text that a parser of stage_text.hpp reads; its complaint gets the place.
template <typename Parse>
auto parsed(const StrictTable& fields, const toml::node& node, std::string_view key, const Parse& parse,
            std::string_view text) {
    try {
        return parse(text);
    } catch (const InputError& error) {
        fields.failAt(node, fmt::format("{}: {}", key, error.what()));
    }
}

void readOrder(StrictTable& fields, ParallelPlan& plan) {
    if (const auto value = fields.choice<Placement>("placement", parsePlacement, "loop, vee, mirror"))
        plan.orderPlacement = *value;
    const auto* order = fields.array("order");
    if (order == nullptr) return;
    for (const auto& entry : *order) {
        const auto* text = entry.as_string();
        if (text == nullptr) fields.failAt(entry, "order: give a text of tasks for each stage (\"F0 F1 B0 B1\")");
        plan.order.push_back(parsed(fields, entry, "order", parseTasks, text->get()));
    }
}

/// Which layers the stages hold, and the order of their tasks where it is given.
void readStages(StrictTable& fields, ParallelPlan& plan) {
    if (const auto* layers = fields.array("layers_per_stage")) {
        for (const auto& entry : *layers) {
            const auto* value = entry.as_integer();
            if (value == nullptr || value->get() < 0 || value->get() > kLargest) {
                fields.failAt(entry, "layers_per_stage: give whole numbers, one a stage");
            }
            plan.layersPerStage.push_back(static_cast<int>(value->get()));
        }
    }
    if (const auto text = fields.text("pipeline_layout")) {
        if (!plan.layersPerStage.empty()) fields.fail("pipeline_layout", "and layers_per_stage say the same; keep one");
        PipelineLayout layout;
        try {
            layout = parsePipelineLayout(*text);
        } catch (const InputError& error) {
            fields.fail("pipeline_layout", error.what());
        }
        plan.layersPerStage = std::move(layout.layers);
        plan.mtpSlot = layout.mtpSlot;
    }
    const auto count = [&](std::string_view key, int& out) {
        if (const auto value = fields.integer(key, 1, kLargest)) out = static_cast<int>(*value);
    };
    count("first_stage_layers", plan.firstStageLayers);
    count("last_stage_layers", plan.lastStageLayers);
    plan.embeddingAsLayer = fields.boolean("embedding_as_layer").value_or(false);
    plan.lossAsLayer = fields.boolean("loss_as_layer").value_or(false);
    readOrder(fields, plan);
}
}  // namespace

PlanTable readPlan(const toml::table& table, const std::string& file, int gpus) {
    StrictTable fields(table, "[plan]", file);
    PlanTable result;
    ParallelPlan& plan = result.plan;
    const auto size = [&](std::string_view key, int& out) {
        if (const auto value = fields.integer(key, 1, kLargest)) out = static_cast<int>(*value);
    };
    const auto flag = [&](std::string_view key, bool& out) {
        if (const auto value = fields.boolean(key)) out = *value;
    };
    size("tp", plan.tp);
    size("pp", plan.pp);
    size("vpp", plan.vpp);
    size("cp", plan.cp);
    size("ep", plan.ep);
    size("etp", plan.etp);
    size("cp_all_to_all", plan.cpAllToAll);
    size("shard_ranks", plan.shardRanks);
    const std::int64_t others = std::int64_t{plan.tp} * plan.pp * plan.cp;
    if (const auto dp = fields.integer("dp", 1, kLargest)) {
        plan.dp = static_cast<int>(*dp);
    } else {
        if (others > gpus || gpus % others != 0) {
            fields.fail("dp",
                        fmt::format("does not follow: tp {} x pp {} x cp {} does not divide the cluster's {} GPUs",
                                    plan.tp, plan.pp, plan.cp, gpus));
        }
        plan.dp = static_cast<int>(gpus / others);
    }
    flag("sequence_parallel", plan.sequenceParallel);
    const auto schedule = fields.choice<ScheduleKind>(
        "schedule", parseScheduleKind,
        "gpipe, 1f1b, interleaved, zb-h1, zb-h2, zb-v, v-half, v-min, dualpipe, dualpipev, given");
    plan.schedule = schedule.value_or(plan.vpp > 1 ? ScheduleKind::interleaved : ScheduleKind::oneFOneB);
    if (!table.contains("vpp")) plan.vpp = std::max(1, chunksOf(plan.schedule));
    if (const auto value = fields.choice<Recompute>("recompute", parseRecompute, "none, selective, full"))
        plan.recompute = *value;
    size("recompute_layers", plan.recomputeLayers);
    if (const auto* modules = fields.array("recompute_modules")) {
        plan.recomputeModules = 0;
        for (const auto& entry : *modules) {
            const auto* text = entry.as_string();
            const auto module = text == nullptr ? std::nullopt : parseRecomputeModule(text->get());
            if (!module)
                fields.failAt(entry, "recompute_modules: give core_attn, layernorm, mla_up_proj, moe_act, mlp, moe");
            plan.recomputeModules = static_cast<std::uint8_t>(plan.recomputeModules | *module);
        }
    }
    if (const auto value = fields.choice<ContextComm>("cp_comm", parseContextComm, "ring, all_gather"))
        plan.contextComm = *value;
    if (const auto value = fields.choice<Fp8Recipe>("fp8_recipe", parseFp8Recipe, "delayed, current, block, mx"))
        plan.fp8Recipe = *value;
    if (const auto value =
            fields.choice<ExpertDispatch>("expert_dispatch", parseExpertDispatch, "all_to_all, deduplicated"))
        plan.expertDispatch = *value;
    if (const auto value =
            fields.choice<ExpertOverlap>("expert_overlap", parseExpertOverlap, "none, shared_experts, micro_batch"))
        plan.expertOverlap = *value;
    if (const auto value = fields.choice<Sharding>("sharding", parseSharding, "zero0, zero1, zero2, zero3"))
        plan.sharding = *value;
    if (const auto value = fields.choice<DType>("precision", parseDType, kTypes)) plan.precision = *value;
    if (const auto value = fields.choice<DType>("parameter_type", parseDType, kTypes)) plan.parameterType = *value;
    if (const auto value = fields.choice<DType>("gradient_type", parseDType, kTypes)) plan.gradientType = *value;
    flag("flash_attention", plan.flashAttention);
    flag("overlap_grad_reduce", plan.overlapGradReduce);
    flag("overlap_param_gather", plan.overlapParamGather);
    flag("overlap_tp", plan.overlapTp);
    flag("fused_cross_entropy", plan.fusedCrossEntropy);
    flag("clip_gradients", plan.clipGradients);
    readStages(fields, plan);
    for (const auto& [word, key] : kOtherNames) fields.alsoCalled(word, key);
    result.microBatch = fields.integer("micro_batch", 1, kLargest);
    fields.finish();
    return result;
}

}  // namespace orrery
