// Where catalog entries come from: the files inside the program, and over them those of the user's own directory.
// What they say is for the readers.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace orrery {

struct CatalogFile {
    std::string stem;            ///< name of the entry: "h100-sxm"
    std::string origin;          ///< what messages call it: the user's path, or "built-in gpus/h100-sxm.toml"
    std::filesystem::path path;  ///< empty for a file inside the program
    std::string_view text;       ///< of a file inside the program
};

/// Directory of the user's own entries: $ORRERY_CATALOG, empty when not set. It may hold gpus/, clusters/, models/ and
/// frameworks/.
[[nodiscard]] std::filesystem::path catalogDirectory();

/// Entries of one folder ("gpus", "clusters", "models", "frameworks"). The user's stand first and replace built-in ones
/// of the same file name. Throws InputError when `directory` is given and does not exist.
[[nodiscard]] std::vector<CatalogFile> catalogFiles(std::string_view folder, const std::filesystem::path& directory);

/// The entry's TOML. Throws InputError that starts with its origin.
[[nodiscard]] toml::table parse(const CatalogFile& file);

/// Text of a file inside the program, by its path below data/catalog; the program was built wrongly without it.
[[nodiscard]] std::string_view builtInCatalogText(std::string_view name);

}  // namespace orrery
