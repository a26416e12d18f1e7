// The ranges of docs/annotations.md, for this workload: names, categories and payload schemas registered once.
#pragma once

#include <cstdint>

#include "model/ops/op.hpp"
#include "model/timeline/timeline.hpp"
#include "profiler/nvtx/annotate.hpp"

namespace orrery::workload {

/// Names are registered when the object is made; ranges are opened through the functions below.
class Annotations {
  public:
    static const Annotations& instance();

    nvtx::Domain domain{"orrery"};
    nvtx::Category step = domain.category(1, "step");
    nvtx::Category task = domain.category(2, "task");
    nvtx::Category layer = domain.category(3, "layer");
    nvtx::Category op = domain.category(4, "op");
    nvtx::Category comm = domain.category(5, "comm");

    nvtx::Schema stepSchema = domain.schema("orrery.step", {{"step"}});
    nvtx::Schema taskSchema = domain.schema("orrery.task", {{"step"},
                                                            {"phase"},
                                                            {"micro_batch"},
                                                            {"stage"},
                                                            {"chunk"},
                                                            {"tokens"},
                                                            {"documents"},
                                                            {"pairs", nvtx::FieldType::float64}});
    nvtx::Schema layerSchema = domain.schema("orrery.layer", {{"layer"}});
    nvtx::Schema gemmSchema =
        domain.schema("orrery.gemm", {{"pass"}, {"m"}, {"n"}, {"k"}, {"groups"}, {"bytes"}, {"flops"}});
    nvtx::Schema attentionSchema = domain.schema("orrery.attention", {{"pass"},
                                                                      {"tokens"},
                                                                      {"pairs", nvtx::FieldType::float64},
                                                                      {"longest"},
                                                                      {"heads"},
                                                                      {"kv_heads"},
                                                                      {"head_dim"},
                                                                      {"value_head_dim"},
                                                                      {"bytes"},
                                                                      {"flops"}});
    nvtx::Schema memorySchema = domain.schema("orrery.memory", {{"pass"}, {"class"}, {"bytes"}, {"flops"}});
    nvtx::Schema commSchema = domain.schema(
        "orrery.comm",
        {{"class"}, {"bytes"}, {"group_size"}, {"peer"}, {"sequence"}, {"micro_batch"}, {"step"}, {"phase"}});

    nvtx::Name stepName = domain.name("step"), forward = domain.name("forward"), backward = domain.name("backward"),
               optimizerTask = domain.name("optimizer"), layerName = domain.name("layer"), send = domain.name("send"),
               receive = domain.name("recv"), gradReduce = domain.name("grad_reduce"),
               gradNorm = domain.name("grad_norm");
    nvtx::Name embedding = domain.name("embedding"), attentionNorm = domain.name("attention_norm"),
               qkv = domain.name("qkv"), rotary = domain.name("rotary"), attention = domain.name("attention"),
               attentionOut = domain.name("attention_out"), residual = domain.name("residual"),
               mlpNorm = domain.name("mlp_norm"), mlpGateUp = domain.name("mlp_gate_up"),
               mlpAct = domain.name("mlp_act"), mlpDown = domain.name("mlp_down"),
               finalNorm = domain.name("final_norm"), output = domain.name("output"),
               crossEntropy = domain.name("cross_entropy"), optimizer = domain.name("optimizer");
};

/// A matrix product [m,k] x [k,n] in float32.
class GemmRange : nvtx::Range {
  public:
    GemmRange(nvtx::Name name, Pass pass, std::int64_t m, std::int64_t n, std::int64_t k);
};

/// An operator bound by memory: `bytes` read and written, `flops` beside it.
class MemoryRange : nvtx::Range {
  public:
    MemoryRange(nvtx::Name name, OpClass cls, Pass pass, double bytes, double flops);
};

/// A transfer or collective; peer -1 for collectives.
struct CommDescription {
    OpClass cls;
    std::int64_t bytes;
    int groupSize;
    int peer;
    int sequence;
    int microBatch;
    int step;
    Phase phase;
};
class CommRange : nvtx::Range {
  public:
    CommRange(nvtx::Name name, const CommDescription& description);
};

}  // namespace orrery::workload
