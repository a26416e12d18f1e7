// PyTorch profiler (Kineto) traces: kernels, copies, annotations, steps, collectives' metadata, groups, devices.
#pragma once

#include "importers/importer.hpp"

namespace orrery::importers {

class KinetoImporter final : public Importer {
  public:
    [[nodiscard]] std::string_view name() const override { return "kineto"; }
    [[nodiscard]] bool recognises(std::string_view head) const override;
    ImportResult read(const std::filesystem::path& file, ProfileWriter& out, const Progress& progress) const override;
};

}  // namespace orrery::importers
