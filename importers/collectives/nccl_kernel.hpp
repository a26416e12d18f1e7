// What the name of an NCCL kernel says about the algorithm and protocol it runs, and names of collectives as classes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/ops/op.hpp"

namespace orrery::importers {

struct NcclKernel {
    std::string algorithm, protocol;  ///< "RING", "LL128"; empty when the name does not say
};

/// Of "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)" and of the older "ncclKernel_AllReduce_RING_LL_Sum_half". Nothing
/// for RCCL's generic kernels.
[[nodiscard]] NcclKernel ncclKernel(std::string_view name);

/// "allreduce", "_allgather_base", "reduce_scatter_tensor_coalesced", "all_to_allv", "send": the class of a collective
/// as PyTorch names it; nothing for names of no class.
[[nodiscard]] std::optional<OpClass> collectiveClass(std::string_view name);

}  // namespace orrery::importers
