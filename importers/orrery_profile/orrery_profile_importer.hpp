// Merges profiles that our own agent wrote, one a process, into one job; also copies an imported profile.
#pragma once

#include "importers/importer.hpp"

namespace orrery::importers {

class OrreryProfileImporter final : public Importer {
  public:
    [[nodiscard]] std::string_view name() const override { return "orrery"; }
    [[nodiscard]] bool recognises(std::string_view head) const override;
    ImportResult read(const std::filesystem::path& file, ProfileWriter& out, const Progress& progress) const override;
};

}  // namespace orrery::importers
