#include "report/text/write_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "model/units/input_error.hpp"

namespace orrery {

void writeFile(const std::filesystem::path& file, std::string_view content) {
    auto beside = file;
    beside += fmt::format(".{}.part", getpid());
    {
        std::ofstream out(beside, std::ios::binary | std::ios::trunc);
        out.write(content.data(), static_cast<std::streamsize>(content.size()));
        out.close();
        if (!out) {
            const std::error_code reason(errno, std::generic_category());
            std::error_code ignored;
            std::filesystem::remove(beside, ignored);
            throw InputError(fmt::format("{}: cannot be written ({}); choose a folder that exists and is writable",
                                         file.string(), reason.message()));
        }
    }
    std::error_code failed;
    std::filesystem::rename(beside, file, failed);
    if (failed) {
        std::error_code ignored;
        std::filesystem::remove(beside, ignored);
        throw InputError(fmt::format("{}: cannot be replaced ({})", file.string(), failed.message()));
    }
}

}  // namespace orrery
