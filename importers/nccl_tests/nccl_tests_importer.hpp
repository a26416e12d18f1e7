// Text output of NVIDIA's nccl-tests and AMD's rccl-tests, as it comes: prefixed by launchers, mixed with log lines.
#pragma once

#include "importers/importer.hpp"

namespace orrery::importers {

class NcclTestsImporter final : public Importer {
  public:
    [[nodiscard]] std::string_view name() const override { return "nccl_tests"; }
    [[nodiscard]] bool recognises(std::string_view head) const override;
    ImportResult read(const std::filesystem::path& file, ProfileWriter& out, const Progress& progress) const override;
};

}  // namespace orrery::importers
