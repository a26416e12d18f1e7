// NVTX_EVENTS of a report: ranges and marks into the profile, steps and NCCL's calls aside for those who need them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "importers/nsys/nccl_calls.hpp"
#include "importers/nsys/nccl_payload.hpp"
#include "importers/nsys/nsys_database.hpp"
#include "importers/nsys/nsys_processes.hpp"
#include "importers/nsys/steps.hpp"

namespace orrery::importers {

/// PyTorch's emit_nvtx writes counters into every name ("aten::add, seq = 5, op_id = 7"), which makes each name its
/// own. A copy without the two counters; other names come back as they are.
[[nodiscard]] std::string withoutCounters(std::string_view name);

class NvtxRows {
  public:
    NvtxRows(NsysDatabase& database, ProfileWriter& out, NsysProcesses& processes);

    /// Reads everything; afterwards steps() and calls() are ready.
    void read(std::vector<Warning>& warnings);
    [[nodiscard]] const Steps& steps() const { return steps_; }
    [[nodiscard]] NcclCalls& calls() { return calls_; }

  private:
    struct Thread {
        std::vector<std::int64_t> openEnds;  // of the push/pop ranges around the current one
    };
    struct Text {
        std::int64_t id = 0;
        std::string text;
        bool isCall = false;
    };
    void readNames();
    bool inOrder();
    void readRanges();
    void addRange(const NsysRows& row);
    const Text& registered(std::int64_t textId);
    const Text& inlined(std::string_view text);
    int depthOf(std::int64_t globalTid, std::int64_t start, std::int64_t end);
    void addPayload(std::int64_t rangeId, const NcclPayload& payload);

    NsysDatabase& database_;
    ProfileWriter& out_;
    NsysProcesses& processes_;
    NcclPayloadDecoder decoder_;
    NcclCalls calls_;
    Steps steps_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> domains_, categories_;  // by process; ids of texts
    std::unordered_map<std::int64_t, Text> registered_;
    Text inlined_;
    std::unordered_map<std::int64_t, Thread> threads_;
    std::int64_t payloadSchema_ = 0;
    std::int64_t undecoded_ = 0, badTimes_ = 0, duplicateSteps_ = 0;
};

}  // namespace orrery::importers
