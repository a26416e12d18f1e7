// From what a user names (files, folders) to one profile: the entry that commands and the app use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "importers/importer.hpp"

namespace orrery::importers {

struct ImportedFile {
    std::filesystem::path file;
    std::string format;
    ImportResult result;
};

struct ImportSummary {
    std::vector<ImportedFile> files;
    std::vector<Warning> warnings;  ///< about the job as a whole
};

/// Files of a folder (and of folders in it, one level) that some importer recognises; a file stands for itself.
/// Throws InputError: no such path, a folder without any known file, a single file of no known format.
[[nodiscard]] std::vector<std::filesystem::path> findInputs(const std::vector<std::filesystem::path>& paths);

/// Imports every path into `out` as ranks of one job. `ranks`, unless empty, says which rank each recorded process is,
/// in the order of the files (by name within a folder), over what the files say. The caller calls out.finish(). Throws
/// InputError when the numbers of ranks and processes differ.
ImportSummary importPaths(const std::vector<std::filesystem::path>& paths, ProfileWriter& out, const Progress& progress,
                          const std::vector<std::int64_t>& ranks = {});

}  // namespace orrery::importers
