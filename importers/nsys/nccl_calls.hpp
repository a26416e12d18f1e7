// Which NCCL call launched a kernel: calls are NVTX ranges on a thread; a kernel belongs to the call, or to the group
// of calls, in whose range its launch lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "importers/nsys/nccl_payload.hpp"
#include "model/ops/op.hpp"

namespace orrery::importers {

/// What is known of one launch: a call of its own, or everything between ncclGroupStart and ncclGroupEnd.
struct NcclLaunch {
    OpClass kind = OpClass::other;
    std::optional<std::int64_t> bytes;  ///< in the nccl-tests convention, the full buffer
    std::optional<std::int64_t> communicator, groupSize, peer;
    int kernels = 0;  ///< launched from here; more than one cannot be told apart
};

class NcclCalls {
  public:
    /// Whether NVTX range `name` is a call of NCCL.
    [[nodiscard]] static bool isCall(std::string_view name);

    /// A range of a call on a thread (globalTid), any order.
    void add(std::int64_t thread, std::int64_t start, std::int64_t end, std::string_view name,
             const std::optional<NcclPayload>& payload);
    /// Forms groups and sizes. Call once, after the last add().
    void finish();

    [[nodiscard]] bool empty() const { return threads_.empty(); }
    [[nodiscard]] std::int64_t calls() const { return calls_; }
    [[nodiscard]] std::int64_t withPayload() const { return withPayload_; }
    /// The launch whose range on `thread` holds `time`. Valid until the object goes.
    [[nodiscard]] NcclLaunch* at(std::int64_t thread, std::int64_t time);

    /// Of a process (by the upper bits of its thread numbers): rank and size of its largest communicator.
    struct World {
        std::int64_t rank = 0, size = 0;
    };
    [[nodiscard]] std::optional<World> world(std::int64_t process) const;

  private:
    struct Call {
        std::int64_t start = 0, end = 0;
        std::string_view name;
        std::optional<NcclPayload> payload;
    };
    struct Window {
        std::int64_t start = 0, end = 0;
        NcclLaunch launch;
    };
    struct Thread {
        std::vector<Call> calls;
        std::vector<Window> windows;
    };
    void formWindows(std::int64_t process, Thread& thread) const;
    [[nodiscard]] NcclLaunch merge(std::int64_t process, const std::vector<const Call*>& members) const;
    [[nodiscard]] std::optional<std::int64_t> ranksOf(std::int64_t process, const Call& call) const;

    std::map<std::int64_t, Thread> threads_;
    std::map<std::pair<std::int64_t, std::int64_t>, World> communicators_;  // by process and communicator
    std::int64_t calls_ = 0, withPayload_ = 0;
};

}  // namespace orrery::importers
