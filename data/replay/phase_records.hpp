// Annotated ranges as flat records of one clock, not yet placed in a job. Internal to data/replay.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/store/profile.hpp"
#include "model/timeline/timeline.hpp"

namespace orrery {

struct PhaseRecord {
    std::int64_t rank = 0, thread = 0;
    std::uint32_t name = 0;  ///< id in PhaseRecords::names
    bool task = true;        ///< else communication
    bool receives = false;
    Phase phase = Phase::other;
    OpClass cls = OpClass::other;
    std::int64_t step = -1, microBatch = -1, chunk = -1, groupSize = 0, peer = -1;
    std::int64_t start = 0, duration = 0;  ///< ns, clocks of ranks aligned
    double tokens = 0.0, pairs = 0.0;
};

struct PhaseRecords {
    StringTable names;
    std::vector<PhaseRecord> rows;            ///< in no order
    std::map<std::int64_t, int> stageOfRank;  ///< every rank with a pass
    std::int64_t open = 0, bad = 0;           ///< ranges left out: never ended; payload out of range
};

/// Reads task and communication ranges. Throws InputError: see readReplayInput.
[[nodiscard]] PhaseRecords readPhaseRecords(const Profile& profile);

}  // namespace orrery
