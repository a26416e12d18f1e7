// The processes of a report, each a rank of the profile: who they are, which rank, on which devices, on which clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "importers/importer.hpp"
#include "importers/nsys/nccl_calls.hpp"
#include "importers/nsys/nsys_database.hpp"

namespace orrery::importers {

class NsysProcesses {
  public:
    NsysProcesses(ProfileWriter& out, std::string file) : out_(out), file_(std::move(file)) {}

    /// Makes ranks of all processes with kernels, in the order of their numbers, as launchers start local ranks.
    void findWorkers(NsysDatabase& database);
    /// The rank row of the process of a globalPid or globalTid, made when it is first seen.
    [[nodiscard]] std::int64_t rankId(std::int64_t globalId);
    /// Rank row of a process that has one, else of the first process; nothing when there is none.
    [[nodiscard]] std::optional<std::int64_t> knownRankId(std::int64_t globalId) const;
    void sawDevice(std::int64_t globalId, std::int64_t device, std::int64_t stream);
    void sawTime(std::int64_t first, std::int64_t last);
    /// A process that names itself ("MPI Rank 3"); the strongest word on its rank.
    void named(std::int64_t globalId, std::string_view threadName);

    /// Writes ranks, devices, streams, names of threads, product and schema. True when every rank is known.
    bool finish(NsysDatabase& database, const NcclCalls& calls, std::vector<Warning>& warnings);

  private:
    struct Process {
        std::int64_t rankId = 0;
        std::optional<std::int64_t> rank, worldSize;
        std::set<std::pair<std::int64_t, std::int64_t>> streams;  // device, stream
    };
    void findRanks(NsysDatabase& database, const NcclCalls& calls);
    void writeDevices(NsysDatabase& database);
    std::optional<std::int64_t> clockOffset(NsysDatabase& database) const;

    ProfileWriter& out_;
    std::string file_;
    std::map<std::int64_t, Process> processes_;
    std::int64_t lastKey_ = -1;
    Process* last_ = nullptr;
    std::optional<std::int64_t> firstTime_, lastTime_;
};

}  // namespace orrery::importers
