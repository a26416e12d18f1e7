// Opens an SQLite file that somebody else wrote: read-only, with everything off that a hostile schema could use.
#pragma once

#include <filesystem>

#include <SQLiteCpp/Database.h>

namespace orrery {

/// Read-only, schema not trusted, triggers and views off, cells checked, values above 64 MiB refused. Whether it is a
/// database at all shows at the first query. Throws SQLite::Exception when it cannot be opened.
[[nodiscard]] SQLite::Database openUntrustedDatabase(const std::filesystem::path& file);

}  // namespace orrery
