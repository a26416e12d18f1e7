// An operator in its place in a task: which group it communicates over, what may hide it, what it keeps for later.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ops/op.hpp"

namespace orrery {

/// Which ranks a collective joins; none for kernels.
enum class CommGroup : std::uint8_t {
    none,
    tensor,
    context,          ///< ranks that pass keys and values on
    contextAllToAll,  ///< ranks that exchange heads for tokens
    expert,
    expertTensor,
    data,
    embedding
};

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
    Bytes saved{};             ///< of a forward operator: tensors it keeps for the backward pass, each counted once
    int repeat = 1;            ///< times it runs with this shape
    std::uint8_t modules = 0;  ///< modules of selective recomputation (RecomputeModule) that repeat it
    std::uint8_t savedModules = 0;  ///< modules whose recomputation makes `saved` unnecessary
};

using OpSequence = std::vector<PlacedOp>;

}  // namespace orrery
