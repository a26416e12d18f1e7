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
inline constexpr char kSessionVariable[] = "ORRERY_SESSION";

/// Metadata key under which a profile keeps the session that it was recorded in.
inline constexpr char kSessionKey[] = "session";

struct Settings {
    std::filesystem::path directory = "orrery-profile";
    std::int64_t drainMilliseconds = 50;  ///< how often rings are emptied and committed: the bound of loss at kill -9
    std::size_t ringBytes = std::size_t{8} << 20U;  ///< of each thread
    std::string session;                            ///< tells the profiles of one agent run from others; may be empty
    std::optional<std::int64_t> rank, worldSize;
};

/// Reads the environment; a value that is not a sensible number keeps the default.
[[nodiscard]] Settings settingsFromEnvironment();

/// Creates an empty file <host>-<pid>-<start time of the process in clock ticks>.db that nobody else has: a pid that is
/// used again differs in its start time, a program that replaced itself by exec (same pid, same start) gets -2, -3.
/// Throws InputError when the folder does not take a file.
[[nodiscard]] std::filesystem::path claimProfileFile(const std::filesystem::path& folder);
[[nodiscard]] std::string hostName();

}  // namespace orrery::inject
