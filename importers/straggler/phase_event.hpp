// One event of a straggler timeline: a Megatron phase, or a name of a lane.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::importers {

/// A phase as recorded. Identifiers are -1 where they do not apply.
struct PhaseEvent {
    std::string_view name;  ///< points into PhaseEvents::names
    std::int64_t pid = 0, tid = 0;
    std::int64_t start = 0, duration = 0;  ///< ns
    std::int64_t step = -1, chunk = -1, microBatch = -1, sequence = -1;
};

struct LaneName {
    std::int64_t pid = 0, tid = 0;
    std::string name;  ///< "PP rank 0, TP rank 0, compute"
};

struct PhaseEvents {
    std::vector<PhaseEvent> phases;
    std::vector<LaneName> lanes;
    std::vector<std::unique_ptr<std::string>> names;  ///< each distinct phase name once
};

/// Reads the whole list. `text` is followed by at least simdjson's padding. `file` is for messages.
/// Throws InputError: not a complete list, an event without its fields, a negative duration.
[[nodiscard]] PhaseEvents readPhaseEvents(std::string_view text, std::size_t readable, const std::string& file);

/// Bytes behind the text that the reader may look at.
inline constexpr std::size_t kPhasePadding = 64;

}  // namespace orrery::importers
