// Whole files and their first bytes, gunzipped by magic number (1f 8b) and never by name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "importers/importer.hpp"

namespace orrery::importers {

/// The first bytes of a file's content (gunzipped), at most `limit`. Empty for an empty or damaged file; throws
/// InputError when the file cannot be opened.
[[nodiscard]] std::string readHead(const std::filesystem::path& file, std::size_t limit = 64 * 1024);

/// A file's whole content.
struct Content {
    std::string bytes;           ///< followed by `padding` bytes that belong to nobody (parsers may read them)
    std::size_t size = 0;        ///< of the content, without the padding
    bool truncatedGzip = false;  ///< the gzip stream ended early; what came before is here
};

/// Reads and gunzips a file. Progress counts compressed bytes. Throws InputError: unreadable, or larger than `limit`
/// bytes once unpacked (a gzip bomb); Cancelled.
[[nodiscard]] Content readContent(const std::filesystem::path& file, const Progress& progress, std::size_t padding,
                                  std::size_t limit = std::size_t{64} << 30U);

}  // namespace orrery::importers
