// Texts of a program on their way into a profile, which holds valid UTF-8 only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery::inject {

/// Wide text (UTF-32 on Linux) as UTF-8 into `out`, as much as fits in `limit` bytes; null is empty. Returns the bytes
/// written. No allocation.
std::size_t toUtf8(const wchar_t* wide, char* out, std::size_t limit);
[[nodiscard]] std::string toUtf8(const wchar_t* wide);

/// Whether the bytes are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates).
[[nodiscard]] bool isUtf8(std::string_view text);
/// The text itself when well-formed; else with '?' in place of each byte that is not.
[[nodiscard]] std::string cleanUtf8(std::string_view text);

}  // namespace orrery::inject
