// Finds where JSON values begin and end without judging what is in them, so that one bad event does not cost the file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::importers {

inline constexpr std::size_t kNotFound = std::string_view::npos;

/// Position behind the value that starts at `at` (object, array, string or scalar), strings respected; kNotFound when
/// the text ends first or nesting exceeds 512 levels.
[[nodiscard]] std::size_t skipValue(std::string_view text, std::size_t at);

/// First position at or behind `at` that is not white space.
[[nodiscard]] std::size_t skipSpace(std::string_view text, std::size_t at);

/// After a broken event at `at`: the position behind its closing brace, taken as the next `}` that is followed by a
/// comma and another object's first key, or by the end of the list. kNotFound when there is none.
[[nodiscard]] std::size_t endOfBrokenEvent(std::string_view text, std::size_t at);

/// A copy of an event with the known malformations mended: bare N/A, nan and inf become null, quotes inside strings are
/// escaped, control characters become spaces, bytes that are no UTF-8 become '?', empty members vanish.
[[nodiscard]] std::string mendEvent(std::string_view event);

}  // namespace orrery::importers
