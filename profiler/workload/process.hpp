// What a process settles with its neighbours and its machine before the job starts.
#pragma once

#include <string>

namespace orrery::workload {

/// All processes learn whether one of them failed; the first that did prints why (an empty `failure` is none).
/// Returns false when the run must end. Without this a failure on one process would leave the others waiting.
[[nodiscard]] bool allWell(const std::string& failure);

/// Pins this process to the n-th core of those it may use, n being its number on this machine.
void bindToCore();

/// Keeps freed memory for the next matrix instead of handing it back: no page faults inside a measured step.
void keepMemory();

}  // namespace orrery::workload
