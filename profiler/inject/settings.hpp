// What the agent asks of the library, through the environment of the recorded process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/inject/capture_settings.hpp"

namespace orrery::inject {

inline constexpr char kOutputVariable[] = "ORRERY_OUTPUT_DIR";
inline constexpr char kDrainVariable[] = "ORRERY_DRAIN_MS";
inline constexpr char kRingVariable[] = "ORRERY_RING_KIB";
inline constexpr char kSessionVariable[] = "ORRERY_SESSION";

inline constexpr char kGpuVariable[] = "ORRERY_GPU";
inline constexpr char kGpuConflictVariable[] = "ORRERY_GPU_CONFLICT";
inline constexpr char kGpuFlushVariable[] = "ORRERY_GPU_FLUSH_MS";
inline constexpr char kCuptiVariable[] = "ORRERY_CUPTI";
inline constexpr char kCuptiBuffersVariable[] = "ORRERY_CUPTI_BUFFERS";
inline constexpr char kCuptiBufferVariable[] = "ORRERY_CUPTI_BUFFER_KIB";
/// Of the CUDA driver: the library that it loads.
inline constexpr char kCudaInjectionVariable[] = "CUDA_INJECTION64_PATH";
/// Of NCCL: the profiler plugin that it loads, by path or name.
inline constexpr char kNcclPluginVariable[] = "NCCL_PROFILER_PLUGIN";

/// Metadata key under which a profile keeps the session that it was recorded in.
inline constexpr char kSessionKey[] = "session";

/// What is recorded of GPUs.
struct GpuSettings {
    bool enabled = true, copies = true, launches = true, synchronization = true;
    bool refuseOnConflict = false;         ///< end the process when another profiler has CUPTI
    std::int64_t flushMilliseconds = 100;  ///< how often CUPTI is asked for what is complete
    std::string library;                   ///< libcupti; empty: look for it
    std::size_t buffers = 16, bufferBytes = std::size_t{2} << 20U;
};

struct Settings {
    std::filesystem::path directory = "orrery-profile";
    std::int64_t drainMilliseconds = 50;  ///< how often rings are emptied and committed: the bound of loss at kill -9
    std::size_t ringBytes = std::size_t{8} << 20U;  ///< of each thread
    std::string session;                            ///< tells the profiles of one agent run from others; may be empty
    std::optional<std::int64_t> rank, worldSize;
    GpuSettings gpu;
    CaptureSettings capture;
};

/// Reads the environment; a value that is not a sensible number keeps the default.
[[nodiscard]] Settings settingsFromEnvironment();

/// "none", or what is recorded beside kernels: a list of copies, launches, sync, separated by commas ("kernels" alone
/// names nothing more). Nothing when a word is another.
[[nodiscard]] std::optional<GpuSettings> parseGpuKinds(std::string_view text);

/// Creates an empty file <host>-<pid>-<start time of the process in clock ticks>.db that nobody else has: a pid that is
/// used again differs in its start time, a program that replaced itself by exec (same pid, same start) gets -2, -3.
/// Throws InputError when the folder does not take a file.
/// `part` above 1 names a file of a rotation: "-p2" and so on.
[[nodiscard]] std::filesystem::path claimProfileFile(const std::filesystem::path& folder, int part = 1);
[[nodiscard]] std::string hostName();

}  // namespace orrery::inject
