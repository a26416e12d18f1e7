// Ranks of different hosts on one axis, once all their files are read.
#pragma once

#include "importers/import_paths.hpp"

namespace orrery::importers {

/// Corrects the clock offsets of ranks by the ends of collectives they share (data/clock), host by host: processes of
/// one host have one clock. What was found is kept with each rank as metadata "clock". Does nothing for a single host.
void alignRanks(const ImportSummary& summary, ProfileWriter& out);

}  // namespace orrery::importers
