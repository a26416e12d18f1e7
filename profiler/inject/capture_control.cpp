#include "profiler/inject/capture_control.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace orrery::inject {
namespace {

constexpr std::size_t kPastWindows = 64;
/// Steps on and off in turn while the overhead is not known well.
constexpr std::int64_t kProbeSteps = 10;
/// Recording rests at most this many times as long as it is on.
constexpr double kLongestRest = 100.0;

}  // namespace

CaptureControl::CaptureControl(CaptureSettings settings, std::int64_t now) : settings_(std::move(settings)) {
    const bool waits = settings_.paused || settings_.steps || settings_.startStep.value_or(0) > 0;
    if (!waits) open(now, "begin of the process");
}

void CaptureControl::open(std::int64_t now, std::string reason) {
    if (on()) return;
    window_ = Window{now, {}, std::move(reason)};
    if (!firstWindow_) firstWindow_ = now;
    nextWindow_ = settings_.every ? std::optional(now + *settings_.every) : std::nullopt;
    stepsInWindow_ = stepsSinceWindow_ = 0;
}

void CaptureControl::close(std::int64_t now) {
    if (!on()) return;
    window_->end = now;
    ended_.push_back(*window_);
    past_.push_back(*window_);
    if (past_.size() > kPastWindows) past_.erase(past_.begin());
    window_.reset();
    stepsSinceWindow_ = 0;
}

void CaptureControl::endForGood(std::int64_t now, std::string reason) {
    close(now);
    done_ = true;
    whyDone_ = std::move(reason);
}

bool CaptureControl::windowIsDue(std::int64_t now) const {
    if (settings_.paused || done_ || restSteps_ > 0) return false;
    if (!firstWindow_) return settings_.startStep.value_or(0) <= lastNumber_.value_or(stepsSeen_ - 1) + 1;
    return nextWindow_ && now >= *nextWindow_;
}

void CaptureControl::opened(std::int64_t now) {
    if (on()) window_->start = now;
}

void CaptureControl::stepEnded(std::optional<std::int64_t> number, std::int64_t start, std::int64_t end,
                               std::int64_t now) {
    ++stepsSeen_;
    ++stepsSinceWindow_;
    lastNumber_ = number ? number : std::optional(stepsSeen_ - 1);
    if (settings_.maxOverhead > 0.0) {
        // A step counts where recording did not change during it, nor just before (CUPTI settles).
        if (on() && start >= window_->start) meter_.add(true, end - start);
        if (!on() && !past_.empty() && start >= *past_.back().end) meter_.add(false, end - start);
    }
    if (on() && start >= window_->start) ++stepsInWindow_;
    if (on() && !manual_ && settings_.steps && stepsInWindow_ >= *settings_.steps) close(end);
    if (!on() && !manual_ && windowIsDue(now)) {
        open(now, fmt::format("step {}", *lastNumber_ + 1));
        return;
    }
    if (settings_.maxOverhead > 0.0 && !manual_) balanceOverhead(now);
}

/// Keeps (share of steps recorded) x (overhead of recording) below the budget: ten steps on, then so many off that it
/// holds; as many off as on until both are known.
void CaptureControl::balanceOverhead(std::int64_t now) {
    if (settings_.steps)
        return;  // windows of so many steps every so often rest anyway; their overhead is only measured
    if (on()) {
        if (stepsInWindow_ < kProbeSteps) return;
        double rest = 1.0;
        if (const auto estimate = meter_.estimate()) {
            const double certain = estimate->share - 2.0 * estimate->uncertainty;
            rest = certain > settings_.maxOverhead ? std::min(certain / settings_.maxOverhead, kLongestRest)
                   : estimate->share + 2.0 * estimate->uncertainty < settings_.maxOverhead ? 0.1
                                                                                           : 1.0;
        }
        // Off for at least two steps: each change spoils one.
        restSteps_ = std::max<std::int64_t>(2, static_cast<std::int64_t>(rest * kProbeSteps));
        close(now);
    } else if (restSteps_ > 0 && stepsSinceWindow_ >= restSteps_ && !done_) {
        restSteps_ = 0;
        open(now, "overhead within budget");
    }
}

void CaptureControl::command(CaptureCommand command, std::int64_t now) {
    if (done_) return;
    const bool start = command == CaptureCommand::start || (command == CaptureCommand::toggle && !on());
    if (start) {
        manual_ = true;
        restSteps_ = 0;
        open(now, "command");
    } else {
        close(now);
        manual_ = false;
        settings_.paused = true;  // until the next command
    }
}

void CaptureControl::tick(std::int64_t now, std::int64_t bytes) {
    if (done_) return;
    if (settings_.maxBytes && bytes >= *settings_.maxBytes) return endForGood(now, "size limit");
    if (settings_.maxTime && firstWindow_ && now - *firstWindow_ >= *settings_.maxTime)
        return endForGood(now, "time limit");
    if (on() && !manual_ && settings_.duration && now - window_->start >= *settings_.duration) close(now);
    // Windows that are counted in steps begin at a step.
    if (!on() && !settings_.steps && firstWindow_ && windowIsDue(now)) open(now, "time");
}

bool CaptureControl::wanted(std::int64_t time) const {
    if (on() && time >= window_->start) return true;
    return std::any_of(past_.begin(), past_.end(),
                       [time](const Window& window) { return time >= window.start && time < *window.end; });
}

std::vector<CaptureControl::Window> CaptureControl::takeEnded() {
    return std::exchange(ended_, {});
}

std::string CaptureControl::status() const {
    std::string text = done_  ? fmt::format("ended ({})", whyDone_)
                       : on() ? fmt::format("on (since {})", window_->reason)
                              : "off";
    text += fmt::format(", {} steps seen", stepsSeen_);
    if (const auto estimate = meter_.estimate()) {
        text += fmt::format(", overhead {:.2f} +- {:.2f} %", estimate->share * 100.0, estimate->uncertainty * 100.0);
    }
    return text;
}

}  // namespace orrery::inject
