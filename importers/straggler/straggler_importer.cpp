#include "importers/straggler/straggler_importer.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "importers/io/file_reader.hpp"
#include "importers/straggler/job_layout.hpp"
#include "importers/straggler/phase_event.hpp"
#include "importers/straggler/phase_rows.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {

bool StragglerImporter::recognises(std::string_view head) const {
    const auto first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || head[first] != '[') return false;
    const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
    return has("\"ph\"") && ((has("\"seq_id\"") && has("\"mb_id\"")) || (has("PP rank ") && has("TP rank ")));
}

ImportResult StragglerImporter::read(const std::filesystem::path& file, ProfileWriter& out,
                                     const Progress& progress) const {
    const Content content = readContent(file, progress, kPhasePadding);
    if (content.truncatedGzip) {
        throw InputError(fmt::format("{}: the gzip stream ends early, after {} unpacked bytes; copy the file again",
                                     file.string(), content.size));
    }
    const PhaseEvents events =
        readPhaseEvents({content.bytes.data(), content.size}, content.bytes.size(), file.string());
    if (progress.isCancelled()) throw Cancelled();
    const JobLayout layout(events, file.string(), readJobMeta(file));
    ImportResult result;
    result.warnings = layout.warnings();
    PhaseRows rows(out, layout, file.filename().string());
    for (const auto& lane : events.lanes) rows.addLane(lane);
    std::map<std::string_view, std::int64_t> unknown;
    for (const auto& event : events.phases) {
        if (rows.add(event)) {
            ++result.events;
        } else if (layout.placeOf(event.pid, event.tid)) {
            ++unknown[event.name];
        }
    }
    rows.finish();
    for (const auto& [name, count] : unknown) {
        result.warnings.push_back(
            {fmt::format("{} phases '{}' are none of the timers that are known; left out", count, name), count, true});
    }
    if (result.events == 0) throw InputError(fmt::format("{}: has none of Megatron's timers", file.string()));
    return result;
}

}  // namespace orrery::importers
