// The options of orrery-agent run that say when recording is on.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "profiler/inject/capture_settings.hpp"

namespace orrery::agent {

/// Adds --steps, --every and the like to a command; their values go to `settings`, which must outlive the parsing.
void addCaptureOptions(CLI::App& command, inject::CaptureSettings& settings);

/// Throws InputError for options that contradict each other.
void checkCapture(const inject::CaptureSettings& settings);

/// What the settings mean, in sentences, for --dry-run.
[[nodiscard]] std::vector<std::string> describeCapture(const inject::CaptureSettings& settings);

}  // namespace orrery::agent
