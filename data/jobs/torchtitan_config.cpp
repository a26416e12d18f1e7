#include "data/jobs/torchtitan_config.hpp"

#include <fmt/format.h>

namespace orrery {
namespace {

/// torchtitan's name of a schedule; empty where it has none.
std::string_view scheduleName(ScheduleKind kind) {
    switch (kind) {
        case ScheduleKind::gpipe:
            return "GPipe";
        case ScheduleKind::oneFOneB:
            return "1F1B";
        case ScheduleKind::interleaved:
            return "Interleaved1F1B";
        case ScheduleKind::zbV:
            return "ZBVZeroBubble";
        case ScheduleKind::dualPipeV:
            return "DualPipeV";
        default:
            return "";
    }
}

std::string parallelism(const ParallelPlan& plan, std::int64_t layers) {
    const int shard = plan.sharding == Sharding::zero0 ? 1 : plan.shardRanks > 0 ? plan.shardRanks / plan.cp : plan.dp;
    std::string out = "[parallelism]\n";
    out += fmt::format("data_parallel_replicate_degree = {}\ndata_parallel_shard_degree = {}\n",
                       plan.dp / std::max(1, shard), std::max(1, shard));
    if (plan.sharding == Sharding::zero1) out += "# ZeRO-1 has no key; FSDP shards gradients and weights, too\n";
    if (plan.sharding == Sharding::zero2) out += "fsdp_reshard_after_forward = \"never\"\n";
    if (plan.sharding == Sharding::zero3) out += "fsdp_reshard_after_forward = \"always\"\n";
    out += fmt::format("tensor_parallel_degree = {}\n", plan.tp);
    if (plan.overlapTp) out += "enable_async_tensor_parallel = true\n";
    out += fmt::format("context_parallel_degree = {}\n", plan.cp);
    if (plan.cp > 1) {
        out += fmt::format("context_parallel_rotate_method = \"{}\"\n",
                           plan.contextComm == ContextComm::ring ? "alltoall" : "allgather");
    }
    if (plan.ep > 1) out += fmt::format("expert_parallel_degree = {}\n", plan.ep);
    if (plan.ep > 1) out += fmt::format("expert_tensor_parallel_degree = {}\n", plan.etp);
    out += fmt::format("pipeline_parallel_degree = {}\n", plan.pp);
    if (plan.pp == 1) return out;
    const std::string_view schedule = scheduleName(plan.schedule);
    out += schedule.empty() ? fmt::format("# no key for the schedule '{}'\n", name(plan.schedule))
                            : fmt::format("pipeline_parallel_schedule = \"{}\"\n", schedule);
    const std::int64_t positions = std::int64_t{plan.pp} * plan.vpp;
    if (plan.layersPerStage.empty() && layers % positions == 0)
        out += fmt::format("pipeline_parallel_layers_per_stage = {}\n", layers / positions);
    if (!plan.layersPerStage.empty()) out += "# the layer map has no key; torchtitan splits the layers itself\n";
    return out;
}

}  // namespace

std::string torchtitanConfig(const JobDescription& job) {
    const ParallelPlan plan = job.plan.value_or(ParallelPlan{});
    std::string out = "[training]\n";
    out += fmt::format(
        "local_batch_size = {}\n",
        job.microBatch.value_or(1) *
            (plan.pp > 1 && job.globalBatch ? *job.globalBatch / (job.microBatch.value_or(1) * plan.dp) : 1));
    if (job.globalBatch) out += fmt::format("global_batch_size = {}\n", *job.globalBatch);
    if (job.sequenceLength) out += fmt::format("seq_len = {}\n", *job.sequenceLength);
    out += fmt::format("max_norm = {}\n", plan.clipGradients ? "1.0" : "0.0");
    out += fmt::format("mixed_precision_param = \"{}\"\n", plan.parameterType == DType::fp32 ? "float32" : "bfloat16");
    if (plan.parameterType == DType::fp16) out += "# torchtitan trains in bfloat16, not in float16\n";
    out += fmt::format("\n{}", parallelism(plan, job.model.layers));
    if (plan.pp > 1) out += fmt::format("pipeline_parallel_microbatch_size = {}\n", job.microBatch.value_or(1));
    out += fmt::format("\n[activation_checkpoint]\nmode = \"{}\"\n", name(plan.recompute));
    if (plan.precision == DType::fp8)
        out +=
            "\n[quantize.linear.float8]\nenable_fsdp_float8_all_gather = true\n[model]\nconverters = "
            "[\"quantize.linear.float8\"]\n";
    return out;
}

}  // namespace orrery
