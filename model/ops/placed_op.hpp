// An operator in its place in a task: which group it communicates over, what may hide it, what it keeps for later.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ops/op.hpp"

namespace orrery {

/// Which ranks a collective joins; none for kernels.
enum class CommGroup : std::uint8_t { none, tensor, context, expert, data, embedding };

/// What a collective runs beside. Rules in docs/model.md, "Overlap".
enum class Overlap : std::uint8_t {
    none,          ///< in the open
    nextKernel,    ///< runs while the next kernel does (Megatron's asynchronous collectives of column-parallel layers)
    slicedNext,    ///< sliced with the next kernel: a slice is multiplied while the next one is gathered
    slicedBefore,  ///< sliced with the kernel before: a slice is reduced while the next one is multiplied
};

struct PlacedOp {
    Op op;  ///< for a collective `op.bytes` is the full buffer, as nccl-tests counts
    CommGroup group = CommGroup::none;
    Overlap overlap = Overlap::none;
    Bytes saved{};               ///< of a forward operator: tensors it keeps for the backward pass, each counted once
    bool attentionCore = false;  ///< between q, k, v and the attention output: what selective recomputation repeats
};

using OpSequence = std::vector<PlacedOp>;

}  // namespace orrery
