// Phases as the rows of a profile: a rank a worker, tasks and communication annotated as docs/annotations.md says.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "importers/straggler/job_layout.hpp"
#include "model/replay/replay_job.hpp"

namespace orrery::importers {

class PhaseRows {
  public:
    /// Writes the ranks of the job; `file` is the timeline's name.
    PhaseRows(ProfileWriter& out, const JobLayout& layout, const std::string& file);

    void addLane(const LaneName& lane);
    /// False for a phase that is left out: of a further TP rank, or of a kind that is none of Megatron's timers.
    bool add(const PhaseEvent& event);
    /// Adds the steps; call once, after the last phase.
    void finish();

  private:
    struct StepSpan {
        std::int64_t thread = 0, begin = 0, end = 0;
    };

    std::int64_t addRange(std::int64_t rankId, std::int64_t thread, std::int64_t start, std::int64_t duration,
                          std::string_view category, std::string_view name);
    [[nodiscard]] PayloadRow taskPayload(const PhaseEvent& event, const OpType& type, WorkerPlace place) const;
    [[nodiscard]] PayloadRow commPayload(const PhaseEvent& event, const OpType& type, WorkerPlace place) const;

    ProfileWriter& out_;
    const JobLayout& layout_;
    std::map<WorkerPlace, std::int64_t> ranks_;  ///< row ids
    std::map<std::string_view, OpType> types_;
    std::map<std::pair<std::int64_t, std::int64_t>, StepSpan> steps_;  ///< by rank row and step
    std::int64_t domain_ = 0, stepSchema_ = 0, taskSchema_ = 0, commSchema_ = 0;
};

}  // namespace orrery::importers
