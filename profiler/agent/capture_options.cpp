#include "profiler/agent/capture_options.hpp"

#include <optional>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery::agent {
namespace {

using inject::CaptureSettings;

/// An option whose text `parse` understands.
template <typename Parse, typename Store>
void add(CLI::App& command, const std::string& name, const std::string& help, const std::string& form, Parse parse,
         Store store) {
    command
        .add_option_function<std::string>(
            name,
            [=](const std::string& text) {
                const auto value = parse(text);
                if (!value) throw CLI::ValidationError(fmt::format("{} {}: expects {}", name, text, form));
                store(*value);
            },
            help)
        ->group("When to record");
}

std::string seconds(std::int64_t ns) {
    return fmt::format("{:g} s", static_cast<double>(ns) * 1e-9);
}

}  // namespace

void addCaptureOptions(CLI::App& command, CaptureSettings& settings) {
    const auto time = [&](const char* name, const char* help, std::optional<std::int64_t> CaptureSettings::*member) {
        add(command, name, help, "a time like 500ms, 30s, 10m or 2h", inject::parseTime,
            [&settings, member](std::int64_t value) { settings.*member = value; });
    };
    const auto size = [&](const char* name, const char* help, std::optional<std::int64_t> CaptureSettings::*member) {
        add(command, name, help, "a size like 64M or 2G", inject::parseSize,
            [&settings, member](std::int64_t value) { settings.*member = value; });
    };
    const auto number = [&](const char* name, const char* help, std::optional<std::int64_t> CaptureSettings::*member,
                            std::int64_t least) {
        command.add_option(name, settings.*member, help)
            ->check(CLI::Range(least, std::int64_t{1} << 40U))
            ->group("When to record");
    };
    number("--steps", "record so many whole steps, then pause", &CaptureSettings::steps, 1);
    number("--start-step", "begin with this step", &CaptureSettings::startStep, 0);
    time("--every", "record again so long after the last window began", &CaptureSettings::every);
    time("--duration", "record for so long, then pause", &CaptureSettings::duration);
    time("--max-time", "end recording so long after it began", &CaptureSettings::maxTime);
    size("--max-size", "end recording when a process has written so much", &CaptureSettings::maxBytes);
    size("--rotate", "begin another file when one has this size", &CaptureSettings::rotate);
    number("--keep", "files of a rotation to keep, the newest", &CaptureSettings::keep, 1);
    command.add_flag("--paused", settings.paused, "do not record before a start by signal or orrery-agent ctl")
        ->group("When to record");
    command.add_flag("--control", settings.socket, "let the owner start and stop recording with orrery-agent ctl")
        ->group("When to record");
    add(command, "--signal", "a signal that switches recording on and off in each process",
        "USR1, USR2 or the number of a real-time signal", inject::parseSignal,
        [&settings](int value) { settings.signal = value; });
    add(command, "--max-overhead", "record only so many steps that GPU recording costs less than this share of time",
        "a share like 1% or 0.01", inject::parseShare, [&settings](double value) { settings.maxOverhead = value; });
    command
        .add_option("--step-name", settings.stepName,
                    "ranges whose name begins with this are steps (those of schema orrery.step always are)")
        ->group("When to record");
}

void checkCapture(const CaptureSettings& settings) {
    if (settings.every && !settings.steps && !settings.duration) {
        throw InputError("--every needs to know how long a window is; give --steps or --duration");
    }
    if (settings.every && settings.duration && *settings.every <= *settings.duration) {
        throw InputError("--every is not longer than --duration; leave both away to record all the time");
    }
    if (settings.keep && !settings.rotate) throw InputError("--keep without --rotate: give the size of a file");
    if (settings.paused && !settings.socket && settings.signal == 0) {
        throw InputError("--paused without a way to start; give --control or --signal");
    }
    if (settings.maxOverhead > 0.0 && settings.duration) {
        throw InputError("--max-overhead and --duration exclude each other; give --steps and --every to set windows");
    }
}

std::vector<std::string> describeCapture(const CaptureSettings& settings) {
    std::vector<std::string> lines;
    if (!settings.controlled()) {
        lines.emplace_back("when: from the first event of a process to its end");
    } else if (settings.paused) {
        lines.emplace_back("when: from a start by signal or orrery-agent ctl to a stop");
    } else {
        std::string line = settings.startStep ? fmt::format("when: from step {}", *settings.startStep)
                           : settings.steps   ? std::string("when: from the first step that ends")
                                              : std::string("when: from the first event of a process");
        if (settings.steps) line += fmt::format(", {} whole steps", *settings.steps);
        if (settings.duration) line += fmt::format(", {}", seconds(*settings.duration));
        if (settings.every) line += fmt::format(", again every {}", seconds(*settings.every));
        lines.push_back(line);
    }
    if (settings.maxTime) lines.push_back(fmt::format("ends: {} after it began", seconds(*settings.maxTime)));
    if (settings.maxBytes) lines.push_back(fmt::format("ends: at {} bytes a process", *settings.maxBytes));
    if (settings.rotate) {
        lines.push_back(fmt::format("files: another one at {} bytes{}", *settings.rotate,
                                    settings.keep ? fmt::format(", the newest {} stay", *settings.keep) : ""));
    }
    if (settings.signal != 0) lines.push_back(fmt::format("signal {}: switches on and off", settings.signal));
    if (settings.socket) lines.emplace_back("commands: orrery-agent ctl start|stop|status PID, for the owner only");
    if (settings.maxOverhead > 0.0) {
        lines.push_back(fmt::format("overhead: at most {:g} % of step time, measured by steps with and without in turn",
                                    settings.maxOverhead * 100.0));
    }
    if (!settings.stepName.empty()) lines.push_back(fmt::format("steps: ranges named {}...", settings.stepName));
    return lines;
}

}  // namespace orrery::agent
