// From a kernel's correlation id to the host's side of its launch: the step and the NCCL call it was made in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "importers/nsys/nccl_calls.hpp"
#include "importers/nsys/nsys_database.hpp"
#include "importers/nsys/steps.hpp"

namespace orrery::importers {

struct Launch {
    std::optional<std::int64_t> step;
    NcclLaunch* nccl = nullptr;
};

class Launches {
  public:
    /// Reads the runtime calls that launch, as far as they lie in a step or in a call of NCCL. Correlation ids are
    /// unique in a process only; `calls` must outlive this.
    void read(NsysDatabase& database, const Steps& steps, NcclCalls& calls);
    /// Nothing for kernels without a launch row, and for launches outside of steps and NCCL.
    [[nodiscard]] const Launch* find(std::int64_t globalPid, std::int64_t correlation) const;

  private:
    [[nodiscard]] std::optional<std::uint64_t> key(std::int64_t globalId, std::int64_t correlation) const;

    std::map<std::int64_t, std::uint64_t> processes_;
    std::unordered_map<std::uint64_t, Launch> launches_;
};

}  // namespace orrery::importers
