// Where a report says, beside NCCL's own words, which rank it is of.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "importers/nsys/nsys_database.hpp"

namespace orrery::importers {

struct RankHint {
    std::optional<std::int64_t> rank, worldSize;
};

/// "MPI Rank 3", as Nsight names the main thread of an MPI process.
[[nodiscard]] std::optional<std::int64_t> rankInThreadName(std::string_view name);

/// RANK and WORLD_SIZE, or what OpenMPI, PMI and Slurm set, in the environment that the launched process was given.
/// Only these names are looked at: an environment holds secrets.
[[nodiscard]] RankHint rankInEnvironment(NsysDatabase& database);

/// "job_rank3.sqlite", "trace.rank-12.sqlite": the number behind the last "rank".
[[nodiscard]] std::optional<std::int64_t> rankInFileName(std::string_view file);

}  // namespace orrery::importers
