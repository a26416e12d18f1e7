// Turns Kineto events into rows of a profile: one rank a file.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "importers/importer.hpp"
#include "importers/io/bad_events.hpp"
#include "importers/kineto/kineto_event.hpp"
#include "importers/kineto/kineto_header.hpp"
#include "importers/kineto/launch_steps.hpp"
#include "importers/kineto/nested_ranges.hpp"
#include "importers/kineto/stream_overruns.hpp"

namespace orrery::importers {

class KinetoRows {
  public:
    /// \param hostOperators whether API calls of the host are rows of the profile, too
    KinetoRows(ProfileWriter& out, std::string file, bool hostOperators);

    /// Counts every event, kept or not, by category.
    void count(const KinetoEvent& event);
    /// Adds an event of a category that is read; `offset` is its place in the file.
    void add(const KinetoEvent& event, std::size_t offset);
    /// Writes what is known only at the end: rank, devices, groups, counts. Events relative to the base time stay so;
    /// ranks.clock_offset_ns has the base, which puts ranks with different bases on one axis.
    void finish(const KinetoHeader& header, std::vector<Warning>& warnings);

  private:
    void addKernel(const KinetoEvent& event);
    void addCopy(const KinetoEvent& event, bool isMemset);
    void addRange(const KinetoEvent& event);
    void addStep(const KinetoEvent& event, bool onDevice);
    void addSynchronization(const KinetoEvent& event);
    void addApiCall(const KinetoEvent& event);
    void addMemoryEvent(const KinetoEvent& event);
    void writeKernels();
    std::optional<std::int64_t> addCollective(const KinetoEvent& event, OpClass cls);
    std::int64_t groupId(const KinetoCollective& collective);
    struct KernelName {
        std::int64_t id = 0;
        OpClass cls = OpClass::other;
    };
    const KernelName& kernelName(std::string_view name);

    ProfileWriter& out_;
    std::int64_t rankId_ = 0;
    std::string file_;
    bool hostOperators_;
    std::vector<KernelRow> kernels_;  // their steps are known at the end
    LaunchSteps launchSteps_;
    NestedRanges ranges_;
    std::int64_t memorySchema_ = 0;
    std::map<std::string, std::int64_t, std::less<>> events_;
    std::string lastCategory_;
    std::int64_t* lastCount_ = nullptr;
    std::unordered_map<std::string, KernelName> kernelNames_;
    std::map<std::string, std::int64_t> groups_;
    std::set<std::int64_t> devices_;
    std::set<std::pair<std::int64_t, std::int64_t>> streams_;
    std::set<std::string, std::less<>> steps_;
    StreamOverruns overruns_;
    BadEvents withoutTimes_, duplicateKeys_;
    std::int64_t withoutDurations_ = 0, duplicateSteps_ = 0, negativeDurations_ = 0;
};

}  // namespace orrery::importers
