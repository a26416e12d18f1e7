// How a model is split over devices. One flat record, as Megatron's command line is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec/cluster_spec.hpp"
#include "model/spec/model_spec.hpp"

namespace orrery {

enum class ScheduleKind : std::uint8_t { gpipe, oneFOneB, interleaved, zbH1, zbH2, zbV, dualPipe };
enum class Recompute : std::uint8_t { none, selective, full };
/// ZeRO stages (Rajbhandari et al. 2020, arXiv 1910.02054). Stage 3 is what PyTorch FSDP's full sharding does.
enum class Sharding : std::uint8_t { zero0, zero1, zero2, zero3 };

struct ParallelPlan {
    int tp = 1;   ///< tensor parallel
    int pp = 1;   ///< pipeline stages
    int vpp = 1;  ///< model chunks a stage (interleaving); 1 = none
    int dp = 1;   ///< data parallel replicas
    int cp = 1;   ///< context parallel
    int ep = 1;   ///< expert parallel, inside dp x cp
    int etp = 1;  ///< tensor parallel of experts
    bool sequenceParallel = false;
    ScheduleKind schedule = ScheduleKind::oneFOneB;
    Recompute recompute = Recompute::none;
    Sharding sharding = Sharding::zero0;
    DType precision = DType::bf16;      ///< of the matrix multiplications
    DType parameterType = DType::bf16;  ///< of weights and activations in memory
    DType gradientType = DType::fp32;   ///< of the gradient buffer and its reduction
    bool flashAttention = true;         ///< fused attention: scores are neither stored nor moved
    std::vector<int> layersPerStage;    ///< layer-to-stage map, one entry a (chunk, stage); empty: even
    bool overlapGradReduce = false;     ///< gradient reduction in buckets under the backward pass
    bool overlapParamGather = false;
    bool overlapTp = false;     ///< tensor-parallel collectives in slices under their GEMM (user buffers, ring)
    bool clipGradients = true;  ///< global gradient norm before the optimizer: reads all gradients, joins all ranks

    [[nodiscard]] int worldSize() const { return tp * pp * dp * cp; }
    /// Layers of each chunk-stage: the given map, or an even split with the remainder on the first stages.
    [[nodiscard]] std::vector<int> stageLayers(std::int64_t layers) const;
};

[[nodiscard]] std::string_view name(ScheduleKind kind);
[[nodiscard]] std::string_view name(Recompute recompute);
[[nodiscard]] std::string_view name(Sharding sharding);
[[nodiscard]] std::optional<ScheduleKind> parseScheduleKind(std::string_view text);
[[nodiscard]] std::optional<Recompute> parseRecompute(std::string_view text);
[[nodiscard]] std::optional<Sharding> parseSharding(std::string_view text);

/// Throws InputError with the offending field and the mend: divisibility of heads, layers, vocabulary and batch; a
/// world size that is not the cluster's GPU count; a schedule that cannot run this shape.
void validate(const ParallelPlan& plan, const ModelSpec& model, const ClusterSpec& cluster);

}  // namespace orrery
