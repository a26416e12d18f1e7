// Which worker each lane of a timeline belongs to, and how large the job is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "importers/importer.hpp"
#include "importers/straggler/job_meta.hpp"
#include "importers/straggler/phase_event.hpp"

namespace orrery::importers {

struct WorkerPlace {
    std::int64_t stage = 0, dp = 0;
    auto operator<=>(const WorkerPlace&) const = default;  ///< the order of global ranks
};

class JobLayout {
  public:
    /// Sizes follow from the phases; the meta file adds what they cannot tell.
    /// Throws InputError: no phases, a phase on a lane without a stage in its name, a worker without phases.
    JobLayout(const PhaseEvents& events, const std::string& file, const std::optional<JobMeta>& meta);

    /// The worker of a phase; nothing for a TP rank other than the first: one of each TP group stands for all.
    [[nodiscard]] std::optional<WorkerPlace> placeOf(std::int64_t pid, std::int64_t tid) const;
    /// One representative rank of each TP group, in Megatron's order: TP innermost, stages outermost.
    [[nodiscard]] std::int64_t globalRank(WorkerPlace place) const { return (place.stage * dp_ + place.dp) * gpus_; }

    [[nodiscard]] std::int64_t dp() const { return dp_; }
    [[nodiscard]] std::int64_t pp() const { return pp_; }
    [[nodiscard]] std::int64_t gpusPerWorker() const { return gpus_; }
    [[nodiscard]] std::int64_t worldSize() const { return worldSize_; }
    [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }

  private:
    struct Lane {
        std::int64_t stage = 0, tpRank = 0;
    };
    [[nodiscard]] static std::optional<Lane> laneOf(std::string_view name);

    std::map<std::pair<std::int64_t, std::int64_t>, Lane> lanes_;  ///< by (pid, tid)
    std::map<std::int64_t, std::int64_t> dps_;                     ///< pid -> DP rank
    std::int64_t dp_ = 0, pp_ = 0, gpus_ = 1, worldSize_ = 0;
    std::vector<Warning> warnings_;
};

}  // namespace orrery::importers
