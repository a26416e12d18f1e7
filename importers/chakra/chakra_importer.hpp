// MLCommons Chakra execution traces (.et protobuf and JSON) and PyTorch's execution traces: one rank a file.
#pragma once

#include "importers/importer.hpp"

namespace orrery::importers {

class ChakraImporter final : public Importer {
  public:
    [[nodiscard]] std::string_view name() const override { return "chakra"; }
    [[nodiscard]] bool recognises(std::string_view head) const override;
    ImportResult read(const std::filesystem::path& file, ProfileWriter& out, const Progress& progress) const override;
};

/// "job.12.et", "chakra.0.json.gz": the number in front of the format's suffixes; nothing for other names.
[[nodiscard]] std::optional<std::int64_t> rankInChakraName(std::string_view file);

}  // namespace orrery::importers
