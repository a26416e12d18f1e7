// One report, in the format that the file's suffix asks for.
#pragma once

#include <filesystem>

#include "report/html/report_data.hpp"

namespace orrery {

/// .html: the whole report; .csv and .json: the table of where the time went; .pftrace: the timelines for Perfetto.
/// Throws InputError for another suffix, before anything is written, and when the place cannot be written.
void writeReport(const std::filesystem::path& file, const ReportData& data);

/// Throws the same InputError for a suffix that writeReport() would refuse; to be called before long work.
void checkReportSuffix(const std::filesystem::path& file);

}  // namespace orrery
