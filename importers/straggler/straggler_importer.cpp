#include "importers/straggler/straggler_importer.hpp"

#include <fmt/format.h>

#include "importers/io/file_reader.hpp"
#include "importers/straggler/job_meta.hpp"
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
    const auto meta = readJobMeta(file);
    ImportResult result;
    if (!meta) {
        result.warnings.push_back({fmt::format("no {} beside it: taken as one GPU a stage and DP rank (tp 1)",
                                               "meta-NAME.yaml (for timeline-NAME.json)"),
                                   1, true});
    }
    PhaseRows rows(events, file.string(), meta);
    rows.write(out);
    result.events = static_cast<std::int64_t>(events.phases.size());
    return result;
}

}  // namespace orrery::importers
