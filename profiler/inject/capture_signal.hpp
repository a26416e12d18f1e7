// Starting and stopping by signal. The handler only counts; the drain thread acts.
#pragma once

namespace orrery::inject {

/// Installs a handler for `signal` unless the program has one of its own; false then. Called once, before the drain
/// thread starts.
bool watchCaptureSignal(int signal);

/// Signals since the last call.
[[nodiscard]] int takeCaptureSignals();

}  // namespace orrery::inject
