// Lets every command that takes a profile take traces as well: they are imported into a profile that goes away again.
#pragma once

#include <filesystem>
#include <vector>

#include "importers/import_paths.hpp"

namespace orrery::cli {

class TemporaryProfile {
  public:
    /// One profile stands for itself; anything else is imported. Throws like importPaths.
    TemporaryProfile(const std::vector<std::filesystem::path>& paths, const importers::Progress& progress);
    ~TemporaryProfile();
    TemporaryProfile(const TemporaryProfile&) = delete;
    TemporaryProfile& operator=(const TemporaryProfile&) = delete;

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    [[nodiscard]] const importers::ImportSummary& summary() const { return summary_; }

  private:
    std::filesystem::path file_, folder_;
    importers::ImportSummary summary_;
};

}  // namespace orrery::cli
