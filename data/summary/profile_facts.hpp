// The facts of a profile, per recorded process and device: what `orrery info` prints.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/store/profile.hpp"

namespace orrery {

/// Times in ns. A communication kernel has nccl or rccl in its name.
struct DeviceFacts {
    std::int64_t device = 0;
    std::string name;
    std::int64_t kernels = 0, streams = 0;
    std::int64_t span = 0;  ///< first kernel start to last kernel end
    std::int64_t sum = 0;   ///< of kernel durations
    std::int64_t busy = 0;  ///< union of kernel intervals, all streams together
    std::int64_t commKernels = 0, commBusy = 0;
    std::int64_t exposedComm = 0;                     ///< a communication kernel runs and no other kernel does
    std::map<std::string, std::int64_t> collectives;  ///< communication kernels by kind

    /// 100 (1 - busy / span); 0 for an empty span.
    [[nodiscard]] double idlePercent() const;
};

struct RankFacts {
    RankInfo rank;
    std::int64_t steps = 0, ranges = 0;
    std::int64_t memcpyBytes = 0;
    std::vector<DeviceFacts> devices;
    std::map<std::string, std::int64_t> rangeCollectives;  ///< of annotated jobs without kernels: comm ranges by kind
    std::map<std::string, std::int64_t> losses;
    std::string clock;                             ///< how its clock was aligned; empty: by unix time
    std::map<std::string, std::string> recording;  ///< what the recorder noted of itself: GPU, overhead, drift
};

/// One pass over the profile, ranks in file order.
[[nodiscard]] std::vector<RankFacts> profileFacts(const Profile& profile);

/// The kind of a communication kernel by the first of AllReduce, AllGather, ReduceScatter, SendRecv, Broadcast,
/// AllToAll, Reduce that is found in its name; "other" when none is.
[[nodiscard]] std::string collectiveKind(std::string_view kernelName);

}  // namespace orrery
