#include "importers/nsys/nsys_importer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "importers/nsys/device_rows.hpp"
#include "importers/nsys/diagnostics.hpp"
#include "importers/nsys/launches.hpp"
#include "importers/nsys/nsys_database.hpp"
#include "importers/nsys/nsys_processes.hpp"
#include "importers/nsys/nsys_report.hpp"
#include "importers/nsys/nvtx_rows.hpp"

namespace orrery::importers {
namespace {

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

/// Sizes and peers of collectives are in NVTX payloads, which an export leaves out unless it is asked.
void tellOfPayloads(NsysDatabase& database, const NcclCalls& calls, std::vector<Warning>& warnings) {
    if (calls.calls() == 0 || calls.withPayload() > 0) return;
    std::string report;
    bool blobs = false;
    for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
        auto rows = database.read(table, {"name", "value"}, 2);
        while (rows.next()) {
            if (rows.text(0) == "EXPORT_PARAM_INPUT_FILE" || rows.text(0) == "EXPORT_INPUT_FILE")
                report = std::filesystem::path(rows.text(1)).filename().string();
            if (rows.text(0) == "EXPORT_PARAM_INCLUDE_BLOBS") blobs = rows.text(1) == "true";
        }
    }
    if (blobs) return;  // the payloads were never recorded
    auto sqlite = database.file().filename();
    if (report.empty()) report = std::filesystem::path(sqlite).replace_extension(".nsys-rep").string();
    warnings.push_back({fmt::format("the export holds no payloads of NCCL's {} calls, so sizes of collectives are "
                                    "unknown; export again: {}",
                                    calls.calls(), exportCommand(report, sqlite.string())),
                        1, true});
}

}  // namespace

bool NsysImporter::recognises(std::string_view head) const {
    static constexpr std::array<std::string_view, 4> kTables{"StringIds", "TARGET_INFO_", "CUPTI_ACTIVITY_KIND_",
                                                             "NVTX_EVENTS"};
    return head.starts_with(kSqliteMagic) && std::any_of(kTables.begin(), kTables.end(), [&](std::string_view table) {
               return head.find(table) != std::string_view::npos;
           });
}

ImportResult NsysImporter::read(const std::filesystem::path& file, ProfileWriter& out, const Progress& progress) const {
    NsysDatabase database(file, progress);
    NsysProcesses processes(out, file.filename().string());
    processes.findWorkers(database);
    ImportResult result;
    NvtxRows nvtx(database, out, processes);
    nvtx.read(result.warnings);
    Launches launches;
    launches.read(database, nvtx.steps(), nvtx.calls());
    DeviceRows(database, out, processes, launches).read(result.warnings);
    result.rankKnown = processes.finish(database, nvtx.calls(), result.warnings);
    readDiagnostics(database, out, processes, result.warnings);
    tellOfPayloads(database, nvtx.calls(), result.warnings);
    result.events = database.rowsRead();
    const auto& damage = database.warnings();
    result.warnings.insert(result.warnings.end(), damage.begin(), damage.end());
    return result;
}

}  // namespace orrery::importers
