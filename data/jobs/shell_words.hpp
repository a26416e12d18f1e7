// Words of a command line inside a shell script.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Splits as a shell would: blanks, quotes, backslashes before line ends, comments; NAME=value and NAME=( ... ) are
/// remembered and $NAME, ${NAME}, ${NAME[@]} and ${NAME:-default} replaced. Commands are not run: what depends on
/// them stays as it is written. Throws InputError for a quote that does not end; `name` is for messages.
[[nodiscard]] std::vector<std::string> shellWords(std::string_view text, const std::string& name);

}  // namespace orrery
