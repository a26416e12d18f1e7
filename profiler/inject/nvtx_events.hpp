// From the arguments of an NVTX call to an event. What the program points to is copied before the call returns.
#pragma once

#include <cstdint>

#include "profiler/inject/event.hpp"
#include "profiler/nvtx/abi.hpp"

namespace orrery::inject {

[[nodiscard]] std::uint32_t domainNumber(nvtx::abi::Domain domain);

/// Each returns what record() does. Null texts and attributes are empty ones.
int emitText(EventKind kind, const char* text, std::uint64_t rangeId = 0) noexcept;
int emitWide(EventKind kind, const wchar_t* text, std::uint64_t rangeId = 0) noexcept;
int emitAttributes(EventKind kind, nvtx::abi::Domain domain, const nvtx::abi::EventAttributes* attributes,
                   std::uint64_t rangeId = 0) noexcept;
/// A range or mark of the payload extension: no message, payloads only.
int emitPayload(EventKind kind, nvtx::abi::Domain domain, const nvtx::abi::PayloadData* data, std::size_t count,
                std::uint64_t rangeId = 0) noexcept;
void emitEnd(std::uint64_t rangeId) noexcept;

}  // namespace orrery::inject
