// Event categories of Kineto traces and what a profile does with them. Spelling changed over the years
// ("Kernel" until torch 1.12, "kernel" since), so comparison ignores case.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery::importers {

enum class KinetoCategory : std::uint8_t { kernel, memcpy, memset, userAnnotation, gpuUserAnnotation, other };

[[nodiscard]] KinetoCategory categoryOf(std::string_view text);

/// Whether a profile keeps events of this category; the rest are counted.
[[nodiscard]] inline bool isKept(std::string_view text) {
    return categoryOf(text) != KinetoCategory::other;
}

}  // namespace orrery::importers
