// Where tests find the shared traces. They are not part of the repository: a test that misses them says so and ends.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace orrery::test {

/// A path under $ORRERY_SHARED, else under the folder `shared` beside the repository; nothing (and a message) if
/// absent.
inline std::optional<std::filesystem::path> sharedData(const std::string& relative) {
    const char* variable = std::getenv("ORRERY_SHARED");
    const std::filesystem::path root =
        variable != nullptr ? std::filesystem::path(variable) : std::filesystem::path(ORRERY_SOURCE_DIR) / "../shared";
    std::filesystem::path path = root / relative;
    if (std::filesystem::exists(path)) return path;
    std::printf("skipped: %s is not here (set ORRERY_SHARED)\n", path.c_str());
    return std::nullopt;
}

}  // namespace orrery::test
