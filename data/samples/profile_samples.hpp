// Calibration samples from a recorded profile: annotated operators, transfers paired across ranks, collectives, host
// gaps, and the sweeps of communication benchmarks. The convention of the annotations is docs/annotations.md.
#pragma once

#include <map>
#include <string>

#include "data/store/profile.hpp"
#include "model/calibrate/samples.hpp"

namespace orrery {

struct SampleOptions {
    int warmUpSteps = 1;  ///< steps from the first recorded one that are left out (caches, page faults, lazy set-up)
    std::string device = "cpu";  ///< catalog name for annotated operators, whose ranges name no device
    DType dtype = DType::fp32;   ///< of annotated operators, whose payloads name no format
    std::string link;            ///< name of the link of transfers and collectives; empty: unknown
};

struct ProfileSamples {
    Samples samples;
    std::map<std::string, int> skipped;  ///< reason -> ranges
};

/// Reads all samples of all ranks. A profile without annotations, collectives or sweeps gives none.
[[nodiscard]] ProfileSamples readProfileSamples(const Profile& profile, const SampleOptions& options = {});

/// The steps of an annotated profile that are kept, as (first, last); nothing when no range carries a step.
[[nodiscard]] std::optional<std::int64_t> firstKeptStep(const Profile& profile, int warmUpSteps);

}  // namespace orrery
