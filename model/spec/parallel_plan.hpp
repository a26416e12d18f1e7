// How a model is split over devices. One flat record, as Megatron's command line is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec/cluster_spec.hpp"
#include "model/spec/model_spec.hpp"
#include "model/spec/task.hpp"

namespace orrery {

enum class ScheduleKind : std::uint8_t {
    gpipe,
    oneFOneB,
    interleaved,
    zbH1,
    zbH2,
    zbV,
    vHalf,
    vMin,
    dualPipe,
    dualPipeV,
    given,  ///< the plan says the order of tasks
};
enum class Recompute : std::uint8_t { none, selective, full };
/// What selective recomputation repeats (Megatron-LM's --recompute-modules); a set of bits.
enum RecomputeModule : std::uint8_t {
    kRecomputeCoreAttention = 1,  ///< between q, k, v and the attention output (Korthikanti et al. 2022, section 5)
    kRecomputeNorm = 2,           ///< norms of hidden states
    kRecomputeLatentUp = 4,       ///< up-projections of latent attention
    kRecomputeExpertAct = 8,      ///< the activation function of experts
    kRecomputeMlp = 16,           ///< the dense MLP
    kRecomputeExperts = 32,       ///< the whole mixture: router, dispatch, experts, combine
};
/// How keys and values reach the context-parallel ranks: passed round a ring under the attention of the chunk before
/// (Ring Attention, arXiv 2310.01889), or gathered before it (Llama 3, arXiv 2407.21783, section 3.3.2).
enum class ContextComm : std::uint8_t { ring, allGather };
/// Scaling of 8-bit formats: delayed (amax of earlier steps), current (an extra pass for the amax), block (128-wide
/// blocks, DeepSeek-V3), mx (32-wide blocks with shared exponents, OCP MX specification 1.0).
enum class Fp8Recipe : std::uint8_t { delayed, current, block, mx };
/// Token exchange of experts: every copy of a token is sent, or one copy a node that is spread inside it (DeepEP;
/// DeepSeek-V3, arXiv 2412.19437, section 3.2.2).
enum class ExpertDispatch : std::uint8_t { allToAll, deduplicated };
/// What runs beside the expert exchange: nothing, the shared experts, or a neighbouring micro-batch's computation.
enum class ExpertOverlap : std::uint8_t { none, sharedExperts, microBatch };
/// ZeRO stages (Rajbhandari et al. 2020, arXiv 1910.02054). Stage 3 is what PyTorch FSDP's full sharding does.
enum class Sharding : std::uint8_t { zero0, zero1, zero2, zero3 };

struct ParallelPlan {
    int tp = 1;          ///< tensor parallel
    int pp = 1;          ///< pipeline stages
    int vpp = 1;         ///< model chunks a stage (interleaving); 1 = none
    int dp = 1;          ///< data parallel replicas
    int cp = 1;          ///< context parallel
    int ep = 1;          ///< expert parallel, inside dp x cp
    int etp = 1;         ///< tensor parallel of experts
    int cpAllToAll = 1;  ///< of cp: ranks that exchange heads for tokens (DeepSpeed-Ulysses, arXiv 2309.14509)
    int shardRanks = 0;  ///< data-parallel ranks that shard states among them (HSDP); 0: all
    bool sequenceParallel = false;
    ScheduleKind schedule = ScheduleKind::oneFOneB;
    Recompute recompute = Recompute::none;
    Sharding sharding = Sharding::zero0;
    DType precision = DType::bf16;      ///< of the matrix multiplications
    DType parameterType = DType::bf16;  ///< of weights and activations in memory
    DType gradientType = DType::fp32;   ///< of the gradient buffer and its reduction
    bool flashAttention = true;         ///< fused attention: scores are neither stored nor moved
    std::vector<int> layersPerStage;    ///< layers of each position of the model, pp x vpp of them; empty: even
    bool embeddingAsLayer = false;      ///< the even split counts the embedding as a layer of the first position
    bool lossAsLayer = false;           ///< and the output layer with the loss as one of the last
    int firstStageLayers = 0;           ///< of the first stage, all chunks; 0: like the others
    int lastStageLayers = 0;
    int mtpSlot = -1;                      ///< position of the multi-token-prediction layers; -1: the last
    std::vector<std::vector<Task>> order;  ///< of each stage, for ScheduleKind::given
    Placement orderPlacement = Placement::loop;
    bool overlapGradReduce = false;  ///< gradient reduction in buckets under the backward pass
    bool overlapParamGather = false;
    /// The loss overwrites the logits with their gradient as stored (Transformer Engine's parallel cross-entropy,
    /// Megatron-LM's --cross-entropy-loss-fusion); else float32 logits are kept for the backward pass.
    bool fusedCrossEntropy = false;
    bool overlapTp = false;  ///< tensor-parallel collectives in slices under their GEMM (user buffers, ring)
    ContextComm contextComm = ContextComm::ring;
    std::uint8_t recomputeModules = kRecomputeCoreAttention;  ///< of selective recomputation
    int recomputeLayers = 0;  ///< full recomputation of so many layers of each chunk (block method); 0: of all
    Fp8Recipe fp8Recipe = Fp8Recipe::delayed;
    ExpertDispatch expertDispatch = ExpertDispatch::allToAll;
    ExpertOverlap expertOverlap = ExpertOverlap::none;
    bool clipGradients = true;  ///< global gradient norm before the optimizer: reads all gradients, joins all ranks

    [[nodiscard]] int worldSize() const { return tp * pp * dp * cp; }
    /// Ranks that hold the same weights outside of experts and sum their gradients.
    [[nodiscard]] int dataRanks() const { return dp * cp; }
    /// Ranks that hold the same experts.
    [[nodiscard]] int expertDataRanks() const { return tp * dp * cp / (ep * etp); }
    /// Context-parallel ranks that pass keys and values on.
    [[nodiscard]] int ringRanks() const { return cp / cpAllToAll; }
    /// Layers of each position of the model: the given map, or an even split by the rules above with the remainder on
    /// the first ones.
    [[nodiscard]] std::vector<int> stageLayers(std::int64_t layers) const;

    bool operator==(const ParallelPlan&) const = default;
};

[[nodiscard]] std::string_view name(ScheduleKind kind);
[[nodiscard]] std::string_view name(Placement placement);
[[nodiscard]] std::string_view name(Recompute recompute);
[[nodiscard]] std::string_view name(Sharding sharding);
[[nodiscard]] std::string_view name(ContextComm comm);
[[nodiscard]] std::string_view name(Fp8Recipe recipe);
[[nodiscard]] std::string_view name(ExpertDispatch dispatch);
[[nodiscard]] std::string_view name(ExpertOverlap overlap);
[[nodiscard]] std::string_view name(RecomputeModule module);
[[nodiscard]] std::optional<ScheduleKind> parseScheduleKind(std::string_view text);
[[nodiscard]] std::optional<Placement> parsePlacement(std::string_view text);
[[nodiscard]] std::optional<Recompute> parseRecompute(std::string_view text);
[[nodiscard]] std::optional<Sharding> parseSharding(std::string_view text);
[[nodiscard]] std::optional<ContextComm> parseContextComm(std::string_view text);
[[nodiscard]] std::optional<Fp8Recipe> parseFp8Recipe(std::string_view text);
[[nodiscard]] std::optional<ExpertDispatch> parseExpertDispatch(std::string_view text);
[[nodiscard]] std::optional<ExpertOverlap> parseExpertOverlap(std::string_view text);
/// "core_attn", "layernorm", "mla_up_proj", "moe_act", "mlp", "moe" as Megatron-LM calls them.
[[nodiscard]] std::optional<RecomputeModule> parseRecomputeModule(std::string_view text);

/// Throws InputError with the offending field and the mend: divisibility of heads, layers, vocabulary and batch; a
/// world size that is not the cluster's GPU count; a schedule that cannot run this shape.
void validate(const ParallelPlan& plan, const ModelSpec& model, const ClusterSpec& cluster);

}  // namespace orrery
