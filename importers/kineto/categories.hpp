// Event categories of Kineto traces and what a profile does with them. Spelling changed over the years
// ("Kernel" until torch 1.12, "kernel" since), so comparison ignores case.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery::importers {

enum class KinetoCategory : std::uint8_t {
    kernel,
    memcpy,
    memset,
    userAnnotation,
    gpuUserAnnotation,
    synchronization,
    apiCall,       ///< of the runtime or the driver: where launches are
    instant,       ///< allocations and frees of memory, among others
    hostOperator,  ///< operators and Python functions; a profile keeps them when asked to
    other
};

[[nodiscard]] KinetoCategory categoryOf(std::string_view text);

/// Whether an import looks into events of this category; the rest are counted.
[[nodiscard]] inline bool isRead(KinetoCategory category, bool hostOperators) {
    return category < KinetoCategory::hostOperator || (hostOperators && category == KinetoCategory::hostOperator);
}

}  // namespace orrery::importers
