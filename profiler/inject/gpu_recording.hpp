// CUPTI's part of recording a process: switched on when the CUDA driver loads this library.
#pragma once

#include "profiler/inject/settings.hpp"

namespace orrery::inject {

/// Opens CUPTI and records from now on, unless recording starts later. Called in the program's thread, inside its first
/// CUDA call. What cannot be recorded is said once on stderr and kept in the profile; the program goes on, but for
/// Conflict::refuse when another profiler has CUPTI: then the process ends with exit code 2.
void startGpuRecording(const Settings& settings);

/// Whether CUPTI has been asked for in this process, well or not: the drain thread then looks after it.
[[nodiscard]] bool gpuStarted();
/// Whether CUPTI took what it was asked for. \pre gpuStarted()
[[nodiscard]] bool gpuRecordable();
/// In a fork()ed child: CUPTI's state belongs to the parent.
void abandonGpuRecording();

}  // namespace orrery::inject
