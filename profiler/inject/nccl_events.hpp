// Calls of NCCL, as its profiler interface tells them, into the calling thread's ring: ranges of domain "orrery.nccl".
#pragma once

#include <cstdint>

namespace orrery::inject {

/// A communicator as init tells it; -1 where a version of the interface does not say.
struct NcclCommunicatorEvent {
    const char* name = nullptr;
    std::uint64_t communicator = 0;
    std::int64_t ranks = -1, rank = -1, nodes = -1;
};

struct NcclCallEvent {
    const char* function = nullptr;  ///< "AllReduce", "Send", ...
    std::uint64_t communicator = 0;
    std::int64_t ranks = -1, sequence = -1, count = 0, root = -1, peer = -1, channels = -1, warps = -1;
    const char *datatype = nullptr, *algorithm = nullptr, *protocol = nullptr;  ///< literals: kept by address
};

void emitCommunicator(const NcclCommunicatorEvent& event) noexcept;
/// Begins a call's range. Returns its id, for endNcclCall; never 0.
std::uint64_t beginNcclCall(const NcclCallEvent& event) noexcept;
void endNcclCall(std::uint64_t id) noexcept;

/// Bytes of the full buffer as nccl-tests counts them: all-gather and reduce-scatter are called with one rank's share.
/// -1: the datatype or the number of ranks is not known.
[[nodiscard]] std::int64_t ncclBytes(const NcclCallEvent& event);

}  // namespace orrery::inject
