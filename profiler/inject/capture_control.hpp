// Decides when recording is on: by steps, time, size, signals, commands and the overhead that was measured. A machine
// of states without a clock or a file of its own; the drain thread tells it what happened and does what it says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/inject/capture_settings.hpp"
#include "profiler/inject/overhead_meter.hpp"

namespace orrery::inject {

enum class CaptureCommand { start, stop, toggle };

class CaptureControl {
  public:
    /// Recording begins off or on as the settings say, at time `now` (ns).
    CaptureControl(CaptureSettings settings, std::int64_t now);

    /// A step from `start` to `end`, seen at `now`, which is later. Its number where the program tells one, else
    /// counted from 0. Windows that begin with it begin at `now`, so that the first whole step in them is the next but
    /// one.
    void stepEnded(std::optional<std::int64_t> number, std::int64_t start, std::int64_t end, std::int64_t now);
    /// What is recorded is really on from `now` on: steps that began earlier are not whole ones.
    void opened(std::int64_t now);
    void command(CaptureCommand command, std::int64_t now);
    /// Time passed; the files together have this size.
    void tick(std::int64_t now, std::int64_t bytes);

    [[nodiscard]] bool on() const { return window_.has_value(); }
    /// Whether what began at `time` is to be kept.
    [[nodiscard]] bool wanted(std::int64_t time) const;

    struct Window {
        std::int64_t start = 0;
        std::optional<std::int64_t> end;
        std::string reason;
    };
    /// Windows that ended since the last call; those of a recording that is not controlled are not told.
    [[nodiscard]] std::vector<Window> takeEnded();
    [[nodiscard]] const std::optional<Window>& window() const { return window_; }

    [[nodiscard]] const OverheadMeter& overhead() const { return meter_; }
    [[nodiscard]] std::int64_t steps() const { return stepsSeen_; }
    /// One line for orrery-agent ctl status.
    [[nodiscard]] std::string status() const;
    [[nodiscard]] const CaptureSettings& settings() const { return settings_; }

  private:
    void open(std::int64_t now, std::string reason);
    void close(std::int64_t now);
    void endForGood(std::int64_t now, std::string reason);
    [[nodiscard]] bool windowIsDue(std::int64_t now) const;
    void balanceOverhead(std::int64_t now);

    CaptureSettings settings_;
    std::optional<Window> window_;
    std::vector<Window> past_;  ///< the newest, for ranges that are drained late
    std::vector<Window> ended_;
    std::int64_t stepsSeen_ = 0, stepsInWindow_ = 0, stepsSinceWindow_ = 0;
    std::optional<std::int64_t> lastNumber_, nextWindow_, firstWindow_;
    std::int64_t restSteps_ = 0;  ///< off for so many steps, to keep within the overhead budget
    bool manual_ = false, done_ = false;
    std::string whyDone_;
    OverheadMeter meter_;
};

}  // namespace orrery::inject
