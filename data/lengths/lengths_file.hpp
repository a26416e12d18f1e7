// Document lengths at rest: text or CSV with one length a line (first column; '#' comments and one header line are
// skipped), or JSON lines with "length", "tokens" or "num_tokens".
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace orrery {

/// Lengths in tokens, in the file's order. Throws InputError (file:line): unreadable, empty, binary, larger than 1 GiB,
/// a line without a whole number of 1 to 2^31 tokens.
[[nodiscard]] std::vector<std::int64_t> readLengths(const std::filesystem::path& file);

}  // namespace orrery
