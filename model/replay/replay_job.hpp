// A measured hybrid-parallel job as replay needs it: the phases that each worker ran, with what they synchronise with.
// Where they were recorded (trace, profile) is left to the readers in data/replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What an op is to the schedule. Names are those of Megatron's timers (megatron/core/timers.py).
enum class OpRole : std::uint8_t {
    forward,       ///< a micro-batch's forward pass through one model chunk
    backward,      ///< its backward pass
    otherCompute,  ///< computes in the order of the passes but sends nothing (weight gradients, recomputation)
    forwardSend,
    forwardRecv,
    backwardSend,
    backwardRecv,
    paramGather,  ///< data-parallel gather of parameters, before the first forward pass of its chunk
    gradReduce,   ///< data-parallel reduction of gradients
    stepEnd,      ///< after the last pass, one after the other: gc, reductions, clipping, optimizer
};

/// With whom an op synchronises: it transfers only when the last of them has started.
enum class SyncScope : std::uint8_t {
    none,       ///< computes
    alone,      ///< communicates within its worker (tensor-parallel group)
    pair,       ///< the other end of a transfer between stages
    replicas,   ///< the same stage of all DP ranks
    endStages,  ///< first and last stage of its DP rank
    all,        ///< every worker
};

struct OpType {
    std::string name;    ///< "forward-send"
    std::string family;  ///< what by-op metrics call it: "forward-pp-comm" for both ends, else the name
    OpRole role = OpRole::stepEnd;
    SyncScope scope = SyncScope::none;
    int place = 0;  ///< order among stepEnd ops, smaller first; equal ones in recorded order
};

/// The type of one of Megatron's timers; nothing when the name is none of them.
[[nodiscard]] std::optional<OpType> megatronOpType(std::string_view name);

/// Places of step-end types that are none of Megatron's: a reduction of a job-wide norm and the optimizer.
inline constexpr int kClipPlace = 6;
inline constexpr int kOptimizerPlace = 7;

struct ReplayOp {
    std::uint16_t type = 0;  ///< index in ReplayJob::types
    std::int32_t dp = 0, stage = 0;
    std::int32_t chunk = 0;                ///< model chunk of an interleaved schedule; -1 unknown
    std::int32_t microBatch = -1;          ///< -1 unknown
    std::int32_t step = 0;                 ///< index in ReplayJob::steps
    std::int64_t start = 0, duration = 0;  ///< ns on one clock
    double tokens = 0.0, pairs = 0.0;      ///< work of the micro-batch; 0 unknown
};

struct ReplayJob {
    int dp = 1, pp = 1, chunks = 1;
    std::vector<std::int64_t> steps;  ///< recorded step numbers
    std::vector<OpType> types;
    std::vector<ReplayOp> ops;
    /// One thread ran each worker's compute and communication: an op starts when the one before it has ended. Otherwise
    /// compute and each kind of transfer are streams of their own.
    bool sequential = false;
    /// Sends are buffered: they do not wait for the receiver.
    bool bufferedSends = false;
};

[[nodiscard]] inline bool isCompute(const OpType& type) {
    return type.scope == SyncScope::none;
}
[[nodiscard]] inline bool isPass(OpRole role) {
    return role <= OpRole::otherCompute;
}

}  // namespace orrery
