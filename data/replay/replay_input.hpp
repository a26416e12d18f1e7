// From a recorded profile to what replay needs: passes, transfers and reductions of every worker.
#pragma once

#include <string>
#include <vector>

#include "data/store/profile.hpp"
#include "model/replay/replay_job.hpp"

namespace orrery {

struct ReplayInput {
    ReplayJob job;
    std::vector<std::string> warnings;
};

/// Reads the annotated ranges (docs/annotations.md) of all steps but the first `skipSteps`.
/// A rank is a worker; ranks of the same stage are the DP ranks of it, in order of their numbers. What an op is follows
/// from its name where it is one of Megatron's timers, else from phase, class and group of its payload.
/// Throws InputError: no annotated passes, ranks without numbers or of several jobs, a stage with more ranks than
/// another, fewer steps than are skipped.
[[nodiscard]] ReplayInput readReplayInput(const Profile& profile, int skipSteps = 0);

}  // namespace orrery
