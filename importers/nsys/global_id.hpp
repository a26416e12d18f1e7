// Nsight's serialized ids: hardware and virtual machine above bit 48, process in bits 24 to 47, thread in the lowest 24
// (Nsight Systems user guide, "Common SQLite examples").
#pragma once

#include <cstdint>

#include "importers/io/time_range.hpp"

namespace orrery::importers {

/// Of a globalPid or globalTid: machine and process together, unique in a report.
[[nodiscard]] inline std::int64_t processOf(std::int64_t globalId) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(globalId) >> 24U);
}
[[nodiscard]] inline std::int64_t pidOf(std::int64_t globalId) {
    return processOf(globalId) & 0xFFFFFF;
}
[[nodiscard]] inline std::int64_t tidOf(std::int64_t globalId) {
    return globalId & 0xFFFFFF;
}

}  // namespace orrery::importers
