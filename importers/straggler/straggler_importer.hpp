// Timelines of hybrid-parallel jobs as ByteDance's StragglerAnalysis publishes them: a Chrome list of Megatron's
// timers.
#pragma once

#include "importers/importer.hpp"

namespace orrery::importers {

/// Every (DP rank, stage) becomes a rank with annotated tasks and communication (docs/annotations.md), so that whatever
/// shows or replays an annotated job does so with this one.
class StragglerImporter final : public Importer {
  public:
    [[nodiscard]] std::string_view name() const override { return "straggler"; }
    [[nodiscard]] bool recognises(std::string_view head) const override;
    ImportResult read(const std::filesystem::path& file, ProfileWriter& out, const Progress& progress) const override;
};

}  // namespace orrery::importers
