// A job as a file to hand on, in the format that the suffix asks for.
#pragma once

#include <filesystem>

#include "gui/session/job.hpp"

namespace orrery::gui {

/// .pdf and .png are drawn here (.png: the timeline); .html, .csv, .json and .pftrace come from report/. Written beside
/// and renamed. Throws InputError: another suffix, a place that cannot be written, or a job that has no such content.
void exportReport(const Job& job, const std::filesystem::path& file);

/// Throws the InputError for a suffix that exportReport() would refuse; to be called before long work.
void checkExportSuffix(const std::filesystem::path& file);

}  // namespace orrery::gui
