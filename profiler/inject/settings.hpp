// What the agent asks of the library, through the environment of the recorded process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace orrery::inject {

inline constexpr char kOutputVariable[] = "ORRERY_OUTPUT_DIR";
inline constexpr char kDrainVariable[] = "ORRERY_DRAIN_MS";
inline constexpr char kRingVariable[] = "ORRERY_RING_KIB";

struct Settings {
    std::filesystem::path directory = "orrery-profile";
    std::int64_t drainMilliseconds = 50;  ///< how often rings are emptied and committed: the bound of loss at kill -9
    std::size_t ringBytes = std::size_t{8} << 20U;  ///< of each thread
    std::optional<std::int64_t> rank, worldSize;
};

/// Reads the environment; a value that is not a sensible number keeps the default.
[[nodiscard]] Settings settingsFromEnvironment();

/// <host>-<pid>-<start time of the process in clock ticks>.db: unique even when a pid is used again.
[[nodiscard]] std::string profileFileName();
[[nodiscard]] std::string hostName();

}  // namespace orrery::inject
