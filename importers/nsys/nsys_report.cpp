#include "importers/nsys/nsys_report.hpp"

#include <fmt/format.h>

namespace orrery::importers {
namespace {

std::string quoted(std::string_view word) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._-/+=:,@%").find(c) != std::string_view::npos;
    };
    bool allPlain = !word.empty();
    std::string out = "'";
    for (const char c : word) {
        allPlain = allPlain && plain(c);
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
        }
    }
    return allPlain ? std::string(word) : out + "'";
}

}  // namespace

bool isNsysReport(const std::filesystem::path& file) {
    const auto suffix = file.extension();
    return suffix == ".nsys-rep" || suffix == ".qdrep" || suffix == ".qdstrm";
}

std::string exportCommand(std::string_view report, std::string_view sqlite) {
    return fmt::format("nsys export --type=sqlite --include-blobs=true --force-overwrite=true -o {} {}", quoted(sqlite),
                       quoted(report));
}

std::string howToExport(const std::filesystem::path& file) {
    auto sqlite = file;
    return fmt::format("{}: a report of Nsight Systems, readable by its own tools only; make the SQLite with: {}",
                       file.string(), exportCommand(file.string(), sqlite.replace_extension(".sqlite").string()));
}

}  // namespace orrery::importers
