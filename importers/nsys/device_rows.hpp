// What ran on the devices: kernels with their collectives, copies, fills, waits, events and whole graphs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "importers/collectives/nccl_kernel.hpp"
#include "importers/nsys/launches.hpp"
#include "importers/nsys/nsys_database.hpp"
#include "importers/nsys/nsys_processes.hpp"

namespace orrery::importers {

class DeviceRows {
  public:
    DeviceRows(NsysDatabase& database, ProfileWriter& out, NsysProcesses& processes, const Launches& launches)
        : database_(database), out_(out), processes_(processes), launches_(launches) {}

    void read(std::vector<Warning>& warnings);

  private:
    struct Name {
        std::int64_t id = 0;
        OpClass cls = OpClass::other;
        bool communicates = false;
        NcclKernel nccl;
    };
    /// Columns that every table of device work begins with.
    struct Place {
        std::int64_t globalPid = 0, rankId = 0, device = 0, stream = 0, start = 0, duration = 0;
    };
    std::optional<Place> place(const NsysRows& row);
    void readKernels();
    void readCopies();
    void readWaits();
    void readEvents();
    void readOverheads();
    void readGraphs(std::vector<Warning>& warnings);
    void addMarker(const Place& place, std::string_view name, std::string_view category, RangeKind kind);
    const Name& kernelName(std::int64_t demangled, std::int64_t shortName);
    std::int64_t addCollective(const Place& place, const Name& name, const Launch* launch);

    NsysDatabase& database_;
    ProfileWriter& out_;
    NsysProcesses& processes_;
    const Launches& launches_;
    std::unordered_map<std::int64_t, Name> names_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> groups_;
    std::int64_t badTimes_ = 0, negative_ = 0;
};

}  // namespace orrery::importers
