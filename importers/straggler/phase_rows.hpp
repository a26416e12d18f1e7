// Phases as the rows of a profile: a rank a worker, tasks and communication annotated as docs/annotations.md says.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "data/store/profile_writer.hpp"
#include "importers/straggler/job_meta.hpp"
#include "importers/straggler/phase_event.hpp"

namespace orrery::importers {

class PhaseRows {
  public:
    /// Throws InputError: a phase on a lane without a stage in its name, a worker missing, other sizes than the meta
    /// file says.
    PhaseRows(const PhaseEvents& events, std::string file, std::optional<JobMeta> meta);

    void write(ProfileWriter& out) const;

  private:
    using WorkerKey = std::pair<std::int64_t, std::int64_t>;  // stage, dp: the order of global ranks

    [[nodiscard]] std::int64_t stageOf(const PhaseEvent& event) const;
    [[nodiscard]] std::int64_t globalRank(std::int64_t stage, std::int64_t dp) const;
    [[nodiscard]] PayloadRow taskPayload(const PhaseEvent& event, std::int64_t stage) const;
    [[nodiscard]] PayloadRow commPayload(const PhaseEvent& event, std::int64_t stage) const;

    const PhaseEvents& events_;
    std::string file_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> stages_;  ///< by lane (pid, tid)
    std::map<std::int64_t, std::int64_t> dps_;                              ///< pid -> DP rank
    std::int64_t dp_ = 0, pp_ = 0, tp_ = 1, worldSize_ = 0;
};

}  // namespace orrery::importers
