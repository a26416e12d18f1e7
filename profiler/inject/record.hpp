// From a callback into the calling thread's ring. Never blocks, never throws; allocates only at a thread's first event.
#pragma once

#include <cstdint>

#include "profiler/inject/event.hpp"

namespace orrery::inject {

/// Records a push, start, mark or end whose text and payload (event.textSize, event.payloadSize bytes) are copied.
/// Returns the nesting depth before a push, 0 for other kinds.
int record(Event& event, const char* text, const void* payload) noexcept;

/// Records the end of the innermost push/pop range of a domain. Returns the depth that is left.
int recordPop(std::uint32_t domain) noexcept;

}  // namespace orrery::inject
