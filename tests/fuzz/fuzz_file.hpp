// What every fuzz target shares: the input as a file of its own, and a rule for what may come of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "model/units/input_error.hpp"

namespace orrery::fuzz {

/// A folder of this process in $TMPDIR; name a memory file system there.
inline const std::filesystem::path& folder() {
    static const std::filesystem::path path = [] {
        auto made = std::filesystem::temp_directory_path() / ("orrery-fuzz-" + std::to_string(::getpid()));
        std::filesystem::create_directories(made);
        return made;
    }();
    return path;
}

inline std::filesystem::path inputFile(std::string_view name, const std::uint8_t* data, std::size_t size) {
    auto file = folder() / name;
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return file;
}

/// Runs a reader. Bad input may end in an InputError of one line; any other exception ends the process, as a crash
/// would.
template <typename Read>
void run(Read read) {
    try {
        read();
    } catch (const InputError& error) {
        if (std::string_view(error.what()).empty()) std::abort();
    }
}

}  // namespace orrery::fuzz
