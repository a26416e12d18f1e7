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
#include "importers/kineto/kineto_event.hpp"
#include "importers/kineto/kineto_header.hpp"
#include "importers/kineto/stream_overruns.hpp"

namespace orrery::importers {

class KinetoRows {
  public:
    KinetoRows(ProfileWriter& out, std::string file);

    /// Counts every event, kept or not, by category.
    void count(const KinetoEvent& event);
    /// Adds an event of a category that a profile keeps.
    void add(const KinetoEvent& event);
    /// Writes what is known only at the end: rank, devices, groups, counts. Events relative to the base time stay so;
    /// ranks.clock_offset_ns has the base, which puts ranks with different bases on one axis.
    void finish(const KinetoHeader& header, std::vector<Warning>& warnings);

  private:
    void addKernel(const KinetoEvent& event);
    void addCopy(const KinetoEvent& event, bool isMemset);
    void addAnnotation(const KinetoEvent& event);
    std::optional<std::int64_t> addCollective(const KinetoEvent& event, OpClass cls);
    std::int64_t groupId(const KinetoCollective& collective);
    struct KernelName {
        std::int64_t id = 0;
        OpClass cls = OpClass::other;
    };
    const KernelName& kernelName(std::string_view name);

    ProfileWriter& out_;
    std::int64_t rankId_;
    std::string file_;
    std::map<std::string, std::int64_t, std::less<>> events_;
    std::string lastCategory_;
    std::int64_t* lastCount_ = nullptr;
    std::unordered_map<std::string, KernelName> kernelNames_;
    std::map<std::string, std::int64_t> groups_;
    std::set<std::int64_t> devices_;
    std::set<std::pair<std::int64_t, std::int64_t>> streams_;
    std::set<std::string, std::less<>> steps_;
    StreamOverruns overruns_;
    std::int64_t withoutDurations_ = 0, withoutTimes_ = 0, duplicateSteps_ = 0, negativeDurations_ = 0;
};

}  // namespace orrery::importers
