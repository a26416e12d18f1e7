// The sizes of a job, from the meta file beside its timeline.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace orrery::importers {

struct JobMeta {
    std::int64_t dp = 1, pp = 1;
    std::int64_t gpus = 1;  ///< behind each recorded worker: TP times the sharding of its data (dsp)
    std::int64_t worldSize = 1;
};

/// `meta-X.yaml` beside `timeline-X.json[.gz]`; nothing when the file has no such name or there is none.
/// Throws InputError when it is there and is no YAML, or a size in it is not a positive number.
[[nodiscard]] std::optional<JobMeta> readJobMeta(const std::filesystem::path& timeline);

}  // namespace orrery::importers
