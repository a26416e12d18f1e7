// "8,16,32" and "8..64" on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery::cli {

/// Values between commas; "a..b" between whole numbers is a, 2a, 4a, ... up to b. Commas inside [...] do not separate.
/// Throws InputError for an empty list or a range that goes down.
[[nodiscard]] std::vector<std::string> valueList(std::string_view text);

/// "15.6T", "300B", "2e12" as a number. Throws InputError.
[[nodiscard]] double largeNumber(std::string_view text);

}  // namespace orrery::cli
