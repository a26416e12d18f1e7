// What is known of a recording's NCCL kernels besides their names: from NCCL's NVTX ranges (communicator, bytes), which
// enclose the launch, and from the NCCL profiler plugin's (sequence, algorithm, protocol), which follow it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/store/profile.hpp"
#include "importers/nsys/nccl_calls.hpp"

namespace orrery::importers {

/// A collective or transfer as its launch tells it.
struct NcclCall {
    OpClass kind = OpClass::other;
    std::optional<std::int64_t> bytes, communicator, groupSize, sequence, peer;
    std::string dtype, algorithm, protocol;
    std::optional<std::int64_t> start, duration;  ///< on the host
};

struct NcclCommunicator {
    std::string name;
    std::optional<std::int64_t> size, rank;
};

class NcclJoin {
  public:
    /// Reads ranges and launches of a recording.
    explicit NcclJoin(const Profile& source);

    /// Of the kernel with this correlation; nullptr: nothing is known.
    [[nodiscard]] const NcclCall* of(std::int64_t rankId, std::int64_t correlation) const;
    /// Calls that the plugin saw and that no kernel was found for.
    [[nodiscard]] std::vector<std::pair<std::int64_t, NcclCall>> withoutKernel() const;
    /// By rank id and communicator number.
    [[nodiscard]] const std::map<std::pair<std::int64_t, std::int64_t>, NcclCommunicator>& communicators() const {
        return communicators_;
    }

  private:
    struct PluginCall {
        NcclCall call;
        std::int64_t thread = 0;
        bool used = false;
    };
    struct Launch {
        std::int64_t thread = 0, start = 0, correlation = 0;
    };
    struct Rank {
        NcclCalls ranges;
        std::vector<PluginCall> plugin;  ///< by start
        std::vector<Launch> launches;    ///< of NCCL kernels, by start
        std::map<std::int64_t, NcclCall> calls;
    };
    void readRanges(const Profile& source);
    void readLaunches(const Profile& source);
    void join(std::int64_t rankId, Rank& rank);

    std::map<std::int64_t, Rank> ranks_;
    std::map<std::pair<std::int64_t, std::int64_t>, NcclCommunicator> communicators_;
};

}  // namespace orrery::importers
