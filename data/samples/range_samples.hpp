// Annotated ranges to samples, one rank after the other. Internal to data/samples.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/samples/profile_samples.hpp"

namespace orrery::profile_samples {

/// A comm range as the pairing needs it: times on the common axis.
struct CommRange {
    std::int64_t rank = 0;
    OpClass cls = OpClass::other;
    bool isSend = false;
    std::int64_t bytes = 0, groupSize = 0, peer = -1, sequence = -1, microBatch = -1, step = -1, phase = -1;
    std::int64_t start = 0, end = 0;
};

/// Takes ranges in order of (rank, start) and keeps operators, host gaps and comm ranges.
class RangeCollector {
  public:
    RangeCollector(const SampleOptions& options, std::int64_t firstStep, std::string source,
                   std::map<std::int64_t, RankInfo> ranks);

    void add(const RangeView& range);
    /// Closes the last task. Comm ranges are then complete.
    void finish();

    ProfileSamples result;
    std::vector<std::int64_t> kernelSteps;  ///< step of each of result.samples.kernels, -1 unknown
    std::vector<CommRange> comms;

  private:
    struct Task {
        std::int64_t end = 0, duration = 0, covered = 0;
        std::int64_t coveredUntil = 0;  ///< operators nested in or overlapping others count once
        int operators = 0;
    };
    void enterRank(std::int64_t rankId);
    void beginTask(const RangeView& range);
    void closeTask(std::int64_t thread);
    void addOperator(const RangeView& range);
    void addComm(const RangeView& range);
    void cover(const RangeView& range, bool isOperator);
    [[nodiscard]] bool inKeptStep(const RangeView& range) const;
    void skip(const std::string& reason) { ++result.skipped[reason]; }

    SampleOptions options_;
    std::int64_t firstStep_;
    std::string source_;
    std::map<std::int64_t, RankInfo> ranks_;
    std::int64_t rankId_ = -1;
    std::int64_t stepEnd_ = -1, step_ = -1;
    std::map<std::int64_t, Task> tasks_;  ///< open task of each thread
};

/// Transfers and collectives of all ranks, without waiting: from the last arrival to the end.
void pairComms(const std::vector<CommRange>& comms, const SampleOptions& options, const std::string& source,
               ProfileSamples& out);

}  // namespace orrery::profile_samples
