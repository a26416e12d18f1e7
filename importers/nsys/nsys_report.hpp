// Reports of Nsight Systems (.nsys-rep) are closed: only `nsys export` makes a readable database of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace orrery::importers {

/// By its suffix: .nsys-rep, or .qdrep and .qdstrm of older products. Their content has no documented mark.
[[nodiscard]] bool isNsysReport(const std::filesystem::path& file);

/// The command that exports `report` with all that an import can use (payloads need --include-blobs).
[[nodiscard]] std::string exportCommand(std::string_view report, std::string_view sqlite);

/// One line for a user who names a report: what it is and the command that makes the SQLite.
[[nodiscard]] std::string howToExport(const std::filesystem::path& file);

}  // namespace orrery::importers
