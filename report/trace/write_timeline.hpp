// Timelines as files that other viewers open: Perfetto's own format or Chrome JSON.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery {

/// A timeline and what to call it ("predicted", "measured"). Several in one file share the time axis, and their tracks
/// have the same names so that a reader can pin both.
struct NamedTimeline {
    std::string name;
    Timeline timeline;
};

/// Writes by suffix: `.pftrace` (also .perfetto-trace) as Perfetto TrackEvent protobuf, `.json` as Chrome trace events
/// with the keys of PyTorch's Kineto, `.et` as MLCommons Chakra execution traces, a file a rank (job.et: job.0.et,
/// ...). Throws InputError for any other suffix and when the place cannot be written.
void writeTimeline(const std::filesystem::path& file, const std::vector<NamedTimeline>& timelines);

/// Perfetto's native format: a stream of TracePacket messages, ranks > lanes as nested tracks, names interned.
[[nodiscard]] std::string perfettoTrace(const std::vector<NamedTimeline>& timelines);

/// Chrome JSON: a process per rank and timeline, a thread per lane, no overlap within a thread.
[[nodiscard]] std::string chromeTrace(const std::vector<NamedTimeline>& timelines);

}  // namespace orrery
