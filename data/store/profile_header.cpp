#include "data/store/profile_header.hpp"

#include <array>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "data/store/profile.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr std::size_t kHeaderSize = 100;
constexpr std::size_t kApplicationIdOffset = 68;  // SQLite file format, section 1.3
constexpr std::size_t kUserVersionOffset = 60;
constexpr std::string_view kMagic("SQLite format 3\0", 16);

struct Header {
    bool isSqlite = false;
    std::int64_t applicationId = 0, userVersion = 0, size = 0;
};

std::int64_t bigEndian32(const char* bytes) {
    std::int64_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// The first 100 bytes say all we need before SQLite itself looks at an untrusted file.
Header readHeader(const std::filesystem::path& file) {
    std::array<char, kHeaderSize> bytes{};
    std::ifstream in(file, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    Header header;
    header.size = in.gcount();
    header.isSqlite = in.gcount() == static_cast<std::streamsize>(kHeaderSize) &&
                      std::string_view(bytes.data(), kMagic.size()) == kMagic;
    if (header.isSqlite) {
        header.applicationId = bigEndian32(bytes.data() + kApplicationIdOffset);
        header.userVersion = bigEndian32(bytes.data() + kUserVersionOffset);
    }
    return header;
}

}  // namespace

void checkHeader(const std::filesystem::path& file) {
    if (!std::filesystem::is_regular_file(file)) {
        throw InputError(fmt::format("{}: no such file; name a profile made by 'orrery import' or 'orrery-agent run'",
                                     file.string()));
    }
    const Header header = readHeader(file);
    if (header.size == 0) throw InputError(fmt::format("{}: the file is empty; record or import again", file.string()));
    if (!header.isSqlite || header.applicationId != kProfileApplicationId) {
        throw InputError(fmt::format("{}: not an Orrery profile; make one with 'orrery import {} -o PROFILE.db'",
                                     file.string(), file.string()));
    }
    if (header.userVersion > kProfileSchemaVersion) {
        throw InputError(fmt::format("{}: written with schema version {}, this program knows {}; use a newer orrery",
                                     file.string(), header.userVersion, kProfileSchemaVersion));
    }
    if (header.userVersion < 1) {
        throw InputError(fmt::format("{}: schema version {} does not exist; the file is damaged, import again",
                                     file.string(), header.userVersion));
    }
}

bool isProfile(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
    const Header header = readHeader(file);
    return header.isSqlite && header.applicationId == kProfileApplicationId;
}

}  // namespace orrery
