// A recorded profile as a Timeline: the same type that a prediction produces.
#pragma once

#include <string>
#include <vector>

#include "data/store/profile.hpp"
#include "model/timeline/timeline.hpp"

namespace orrery {

struct MeasuredTimeline {
    Timeline timeline;       ///< sorted; ns since the first span, all ranks on the common clock
    int worldSize = 0;       ///< as the ranks say, 0 when none does
    bool annotated = false;  ///< has ranges of docs/annotations.md; otherwise it shows kernels of a device trace
    std::vector<std::string> warnings;
};

/// Reads all steps of a profile.
/// Annotated jobs: a track for steps, tasks, operators and communication of each rank. What a transfer or collective
/// waited for its peers becomes a span of Phase::wait on the task track (data/timeline/comm_waits.hpp), and where a
/// rank recorded no communication at all, so do the gaps of its steps.
/// Device traces: a track per device and stream for kernels, collectives and copies; gaps in which no kernel of the
/// rank runs are waits ("idle").
/// Throws InputError when the profile has nothing to show.
[[nodiscard]] MeasuredTimeline readMeasuredTimeline(const Profile& profile);

}  // namespace orrery
