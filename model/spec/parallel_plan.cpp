#include "model/spec/parallel_plan.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "model/spec/stage_layout.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {
using namespace std::string_view_literals;

constexpr std::array kSchedules{
    std::pair{ScheduleKind::gpipe, "gpipe"sv},
    std::pair{ScheduleKind::oneFOneB, "1f1b"sv},
    std::pair{ScheduleKind::interleaved, "interleaved"sv},
    std::pair{ScheduleKind::zbH1, "zb-h1"sv},
    std::pair{ScheduleKind::zbH2, "zb-h2"sv},
    std::pair{ScheduleKind::zbV, "zb-v"sv},
    std::pair{ScheduleKind::vHalf, "v-half"sv},
    std::pair{ScheduleKind::vMin, "v-min"sv},
    std::pair{ScheduleKind::dualPipe, "dualpipe"sv},
    std::pair{ScheduleKind::dualPipeV, "dualpipev"sv},
    std::pair{ScheduleKind::given, "given"sv},
};
constexpr std::array kPlacements{
    std::pair{Placement::loop, "loop"sv},
    std::pair{Placement::vee, "vee"sv},
    std::pair{Placement::mirror, "mirror"sv},
};
constexpr std::array kRecomputes{
    std::pair{Recompute::none, "none"sv},
    std::pair{Recompute::selective, "selective"sv},
    std::pair{Recompute::full, "full"sv},
};
constexpr std::array kShardings{
    std::pair{Sharding::zero0, "zero0"sv},
    std::pair{Sharding::zero1, "zero1"sv},
    std::pair{Sharding::zero2, "zero2"sv},
    std::pair{Sharding::zero3, "zero3"sv},
};
constexpr std::array kContextComms{
    std::pair{ContextComm::ring, "ring"sv},
    std::pair{ContextComm::allGather, "all_gather"sv},
};
constexpr std::array kFp8Recipes{
    std::pair{Fp8Recipe::delayed, "delayed"sv},
    std::pair{Fp8Recipe::current, "current"sv},
    std::pair{Fp8Recipe::block, "block"sv},
    std::pair{Fp8Recipe::mx, "mx"sv},
};
constexpr std::array kDispatches{
    std::pair{ExpertDispatch::allToAll, "all_to_all"sv},
    std::pair{ExpertDispatch::deduplicated, "deduplicated"sv},
};
constexpr std::array kExpertOverlaps{
    std::pair{ExpertOverlap::none, "none"sv},
    std::pair{ExpertOverlap::sharedExperts, "shared_experts"sv},
    std::pair{ExpertOverlap::microBatch, "micro_batch"sv},
};
constexpr std::array kModules{
    std::pair{kRecomputeCoreAttention, "core_attn"sv},
    std::pair{kRecomputeNorm, "layernorm"sv},
    std::pair{kRecomputeLatentUp, "mla_up_proj"sv},
    std::pair{kRecomputeExpertAct, "moe_act"sv},
    std::pair{kRecomputeMlp, "mlp"sv},
    std::pair{kRecomputeExperts, "moe"sv},
};

template <typename Table, typename Value>
std::string_view nameIn(const Table& table, Value value) {
    for (const auto& [known, text] : table) {
        if (known == value) return text;
    }
    return "unknown";
}

template <typename Value, typename Table>
std::optional<Value> valueIn(const Table& table, std::string_view text) {
    for (const auto& [value, known] : table) {
        if (known == text) return value;
    }
    return std::nullopt;
}

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
    throw InputError("plan: " + fmt::format(text, std::forward<Args>(args)...));
}

void requireAtLeastOne(const char* field, int value) {
    if (value < 1) fail("{} is {}; give 1 or more", field, value);
}

void validateTensorSplit(const ParallelPlan& plan, const ModelSpec& model) {
    if (model.heads % plan.tp != 0) {
        fail("tp {} does not divide the model's {} heads; choose a divisor of {}", plan.tp, model.heads, model.heads);
    }
    if (model.kvHeads % plan.tp != 0 && plan.tp % model.kvHeads != 0) {
        fail("tp {} and the model's {} kv_heads do not divide each other; choose a divisor or a multiple of {}",
             plan.tp, model.kvHeads, model.kvHeads);
    }
    if (model.moe.sharedFfn % plan.tp != 0) {
        fail("tp {} does not divide moe.shared_ffn {}; choose a divisor", plan.tp, model.moe.sharedFfn);
    }
    if (!model.layerPattern.empty() && model.stateSpace.heads % plan.tp != 0) {
        fail("tp {} does not divide the {} heads of [model.state_space]; choose a divisor", plan.tp,
             model.stateSpace.heads);
    }
    if (model.ffnHidden % plan.tp != 0) {
        fail("tp {} does not divide ffn_hidden {}; choose a divisor", plan.tp, model.ffnHidden);
    }
}

void validateExpertSplit(const ParallelPlan& plan, const ModelSpec& model) {
    if (model.moe.experts == 0) {
        if (plan.ep > 1) fail("ep is {} but the model has no experts; set ep = 1", plan.ep);
        if (plan.etp > 1) fail("etp is {} but the model has no experts; set etp = 1", plan.etp);
        return;
    }
    if (model.moe.experts % plan.ep != 0) {
        fail("ep {} does not divide the model's {} experts; choose a divisor", plan.ep, model.moe.experts);
    }
    if (model.moe.ffnHidden % plan.etp != 0) {
        fail("etp {} does not divide moe.ffn_hidden {}; choose a divisor", plan.etp, model.moe.ffnHidden);
    }
    if (plan.tp > 1 && !plan.sequenceParallel && plan.etp != plan.tp) {
        fail("experts with etp {} and tp {} need sequence parallelism; set sequence_parallel = true or etp = {}",
             plan.etp, plan.tp, plan.tp);
    }
    if ((std::int64_t{plan.tp} * plan.dp * plan.cp) % (std::int64_t{plan.ep} * plan.etp) != 0) {
        fail("ep x etp = {} does not divide tp x dp x cp = {}", plan.ep * plan.etp, plan.tp * plan.dp * plan.cp);
    }
}

void validateContextSplit(const ParallelPlan& plan, const ModelSpec& model) {
    if (plan.cp % plan.cpAllToAll != 0) {
        fail("cp_all_to_all {} does not divide cp {}; choose a divisor", plan.cpAllToAll, plan.cp);
    }
    if ((model.heads / plan.tp) % plan.cpAllToAll != 0) {
        fail("cp_all_to_all {} does not divide the {} heads of a tensor-parallel rank; choose a divisor",
             plan.cpAllToAll, model.heads / plan.tp);
    }
    if (plan.cp > 1 && !plan.flashAttention) fail("cp {} needs fused attention; set flash_attention = true", plan.cp);
}

void validateSharding(const ParallelPlan& plan) {
    if (plan.shardRanks == 0) return;
    if (plan.shardRanks < 0 || plan.dataRanks() % plan.shardRanks != 0) {
        fail("shard_ranks {} does not divide dp x cp = {}; choose a divisor", plan.shardRanks, plan.dataRanks());
    }
}

}  // namespace

std::string_view name(ScheduleKind kind) {
    return nameIn(kSchedules, kind);
}
std::string_view name(Placement placement) {
    return nameIn(kPlacements, placement);
}
std::string_view name(Recompute recompute) {
    return nameIn(kRecomputes, recompute);
}
std::string_view name(Sharding sharding) {
    return nameIn(kShardings, sharding);
}
std::optional<ScheduleKind> parseScheduleKind(std::string_view text) {
    return valueIn<ScheduleKind>(kSchedules, text);
}
std::optional<Placement> parsePlacement(std::string_view text) {
    return valueIn<Placement>(kPlacements, text);
}
std::optional<Recompute> parseRecompute(std::string_view text) {
    return valueIn<Recompute>(kRecomputes, text);
}
std::optional<Sharding> parseSharding(std::string_view text) {
    return valueIn<Sharding>(kShardings, text);
}

std::string_view name(ContextComm comm) {
    return nameIn(kContextComms, comm);
}
std::string_view name(Fp8Recipe recipe) {
    return nameIn(kFp8Recipes, recipe);
}
std::string_view name(ExpertDispatch dispatch) {
    return nameIn(kDispatches, dispatch);
}
std::string_view name(ExpertOverlap overlap) {
    return nameIn(kExpertOverlaps, overlap);
}
std::string_view name(RecomputeModule module) {
    return nameIn(kModules, module);
}
std::optional<ContextComm> parseContextComm(std::string_view text) {
    return valueIn<ContextComm>(kContextComms, text);
}
std::optional<Fp8Recipe> parseFp8Recipe(std::string_view text) {
    return valueIn<Fp8Recipe>(kFp8Recipes, text);
}
std::optional<ExpertDispatch> parseExpertDispatch(std::string_view text) {
    return valueIn<ExpertDispatch>(kDispatches, text);
}
std::optional<ExpertOverlap> parseExpertOverlap(std::string_view text) {
    return valueIn<ExpertOverlap>(kExpertOverlaps, text);
}
std::optional<RecomputeModule> parseRecomputeModule(std::string_view text) {
    return valueIn<RecomputeModule>(kModules, text);
}

void validate(const ParallelPlan& plan, const ModelSpec& model, const ClusterSpec& cluster) {
    requireAtLeastOne("tp", plan.tp);
    requireAtLeastOne("pp", plan.pp);
    requireAtLeastOne("vpp", plan.vpp);
    requireAtLeastOne("dp", plan.dp);
    requireAtLeastOne("cp", plan.cp);
    requireAtLeastOne("ep", plan.ep);
    requireAtLeastOne("etp", plan.etp);
    requireAtLeastOne("cp_all_to_all", plan.cpAllToAll);
    const double world = double(plan.tp) * plan.pp * plan.dp * plan.cp;
    if (world != cluster.gpus) {
        fail("tp x pp x dp x cp = {} x {} x {} x {} = {:.0f} devices; the cluster has {}", plan.tp, plan.pp, plan.dp,
             plan.cp, world, cluster.gpus);
    }
    validateTensorSplit(plan, model);
    validateExpertSplit(plan, model);
    validateContextSplit(plan, model);
    validateSharding(plan);
    validateStages(plan, model);
}

}  // namespace orrery
