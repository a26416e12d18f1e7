// Traces of other tools, imported into a profile that goes away with this object; a profile stands for itself.
#pragma once

#include <filesystem>
#include <vector>

#include "importers/import_paths.hpp"

namespace orrery::gui {

class TemporaryProfile {
  public:
    /// Throws InputError as importPaths does, and importers::Cancelled.
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

}  // namespace orrery::gui
