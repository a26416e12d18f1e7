// What Nsight Systems itself says went wrong: DIAGNOSTIC_EVENT. Lost events become losses of the profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "importers/importer.hpp"
#include "importers/nsys/nsys_database.hpp"
#include "importers/nsys/nsys_processes.hpp"

namespace orrery::importers {

/// A message of lost data without its number, and the number: "1024 CUDA events were dropped" is {"CUDA events were
/// dropped", 1024}. A message without a number counts 1. Nothing when the message is not about lost data.
struct LossMessage {
    std::string kind;
    std::int64_t count = 1;
};
[[nodiscard]] std::optional<LossMessage> lossIn(std::string_view message);

/// Losses by process; other warnings and errors of the product become warnings of the import.
void readDiagnostics(NsysDatabase& database, ProfileWriter& out, const NsysProcesses& processes,
                     std::vector<Warning>& warnings);

}  // namespace orrery::importers
