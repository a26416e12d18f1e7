// When a recording is on: what an operator asked for, and its form in the environment of the recorded process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::inject {

inline constexpr char kCaptureVariable[] = "ORRERY_CAPTURE";

/// Times in ns, sizes in bytes. All absent: recording is on from the first event to the last.
struct CaptureSettings {
    std::optional<std::int64_t> startStep;  ///< the first window begins when this step does
    std::optional<std::int64_t> steps;      ///< whole steps of a window
    std::optional<std::int64_t> duration;   ///< of a window
    std::optional<std::int64_t> every;      ///< from the begin of a window to that of the next; absent: one window
    std::optional<std::int64_t> maxTime;    ///< from the first window on; then recording ends
    std::optional<std::int64_t> maxBytes;   ///< of the files together; then recording ends
    std::optional<std::int64_t> rotate;     ///< a file of this size is finished and another begun
    std::optional<std::int64_t> keep;       ///< newest files that stay; absent: all
    bool paused = false;                    ///< off until it is started by signal or socket
    bool socket = false;                    ///< listen for orrery-agent ctl
    int signal = 0;                         ///< each switches recording on or off; 0: none
    double maxOverhead = 0.0;               ///< share of step time that GPU recording may cost; 0: not limited
    std::string stepName;                   ///< ranges that begin with this are steps, beside those of orrery.step

    /// Whether recording may ever be off.
    [[nodiscard]] bool controlled() const;
    [[nodiscard]] bool operator==(const CaptureSettings&) const = default;
};

/// "steps=3,every=600000000000,...": what captureFromText reads. Empty for defaults.
[[nodiscard]] std::string captureToText(const CaptureSettings& settings);
/// Words that are not known, and values that make no sense, are left out: a job must not fail for them.
[[nodiscard]] CaptureSettings captureFromText(std::string_view text);

/// "500ms", "30s", "10m", "2h" as ns; nothing when it is not a positive time.
[[nodiscard]] std::optional<std::int64_t> parseTime(std::string_view text);
/// "64M", "2G", "500k" (powers of 1024) or plain bytes; nothing when it is not a positive size.
[[nodiscard]] std::optional<std::int64_t> parseSize(std::string_view text);
/// "USR1", "SIGUSR2" or a real-time signal's number; nothing for others, which mean something else to a program.
[[nodiscard]] std::optional<int> parseSignal(std::string_view text);
/// "1%" or "0.01" as a share; nothing outside (0, 1).
[[nodiscard]] std::optional<double> parseShare(std::string_view text);

}  // namespace orrery::inject
