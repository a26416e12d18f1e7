// What the first 100 bytes of a file say, before SQLite itself looks at something untrusted. Internal to data/store.
#pragma once

#include <filesystem>

namespace orrery {

/// Throws InputError: no such file, empty, not a profile, a schema version that this program does not know.
void checkHeader(const std::filesystem::path& file);

}  // namespace orrery
