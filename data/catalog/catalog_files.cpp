#include "data/catalog/catalog_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

#include "data/catalog/embedded_file.hpp"
#include "data/toml/strict_table.hpp"
#include "model/units/input_error.hpp"

namespace orrery {

extern const std::span<const EmbeddedFile> kCatalogFiles;

namespace {

std::vector<CatalogFile> usersFiles(std::string_view folder, const std::filesystem::path& directory) {
    std::error_code failed;
    if (!std::filesystem::is_directory(directory, failed)) {
        throw InputError(
            fmt::format("{}: no such directory; ORRERY_CATALOG names a folder with gpus/, clusters/ or "
                        "models/ inside, or is not set",
                        directory.string()));
    }
    std::vector<CatalogFile> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory / folder, failed)) {
        if (entry.path().extension() != ".toml") continue;
        files.push_back({entry.path().stem().string(), entry.path().string(), entry.path(), {}});
    }
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.stem < b.stem; });
    return files;
}

}  // namespace

std::filesystem::path catalogDirectory() {
    const char* chosen = std::getenv("ORRERY_CATALOG");
    return chosen != nullptr ? chosen : "";
}

std::vector<CatalogFile> catalogFiles(std::string_view folder, const std::filesystem::path& directory) {
    std::vector<CatalogFile> files;
    if (!directory.empty()) files = usersFiles(folder, directory);
    const auto users = static_cast<std::ptrdiff_t>(files.size());
    for (const EmbeddedFile& file : kCatalogFiles) {
        const std::filesystem::path name(file.name);
        if (name.parent_path().string() != folder || name.extension() != ".toml") continue;
        const std::string stem = name.stem().string();
        const bool replaced =
            std::any_of(files.begin(), files.begin() + users, [&](const CatalogFile& own) { return own.stem == stem; });
        if (!replaced) files.push_back({stem, fmt::format("built-in {}", file.name), {}, file.text});
    }
    return files;
}

toml::table parse(const CatalogFile& file) {
    return file.path.empty() ? parseToml(file.text, file.origin) : parseTomlFile(file.path);
}

std::string_view builtInCatalogText(std::string_view name) {
    for (const EmbeddedFile& file : kCatalogFiles) {
        if (file.name == name) return file.text;
    }
    throw std::logic_error(fmt::format("{} is not in this program", name));
}

}  // namespace orrery
