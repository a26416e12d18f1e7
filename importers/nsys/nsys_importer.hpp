// Nsight Systems reports exported to SQLite, of every schema from 2022 on: each process becomes a rank.
#pragma once

#include "importers/importer.hpp"

namespace orrery::importers {

class NsysImporter final : public Importer {
  public:
    [[nodiscard]] std::string_view name() const override { return "nsys"; }
    [[nodiscard]] bool recognises(std::string_view head) const override;
    ImportResult read(const std::filesystem::path& file, ProfileWriter& out, const Progress& progress) const override;
};

}  // namespace orrery::importers
