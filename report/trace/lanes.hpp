// Viewers want slices of one row to nest; where spans of a track overlap otherwise they move to a further row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery {

/// One row of a viewer. Its spans nest or follow each other; sorted by start, longer first.
struct LaneRow {
    std::uint32_t track = 0;
    int overflow = 0;  ///< 0 for the track's own row, 1, 2 ... for what overlaps
    std::string label;
    std::vector<Span> spans;
    std::vector<std::size_t> rows;  ///< row in the timeline of each span
};

/// All spans in rows, ordered by (rank, lane, stream, overflow). Tracks without spans give no row.
[[nodiscard]] std::vector<LaneRow> lanesOf(const Timeline& timeline);

/// A micro-batch goes from one pipeline stage to the next: rows (in the timeline) of its tasks at both.
struct Flow {
    std::size_t from = 0, to = 0;
};

/// Forward tasks to the next stage, backward tasks to the one before. The i-th rank of a stage hands to the i-th rank
/// of the next, as Megatron lays out ranks; none when stages have different numbers of ranks.
[[nodiscard]] std::vector<Flow> pipelineFlows(const Timeline& timeline);

}  // namespace orrery
