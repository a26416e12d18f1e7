// Document lengths at rest: text or CSV with one length a line (first column; '#' comments and one header line are
// skipped), JSON lines with "length", "tokens" or "num_tokens" (or with "text" and a ratio), Megatron-LM's .idx of an
// indexed dataset, NumPy's .npy. Told apart by content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace orrery {

/// Lengths in tokens, in the file's order. `charactersPerToken` turns the texts of JSON lines into lengths; 0: there
/// are none. Throws InputError (file:line): unreadable, empty, not understood, larger than 1 GiB (text) or 16 GiB
/// (binary), a line without a whole number of 1 to 2^31 tokens.
[[nodiscard]] std::vector<std::int64_t> readLengths(const std::filesystem::path& file, double charactersPerToken = 0.0);

}  // namespace orrery
