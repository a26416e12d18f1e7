// The pieces of the HTML report. Internal to report/html.
#pragma once

#include <string>

#include "report/html/report_data.hpp"

namespace orrery::html_parts {

/// Headline figures with their error, and one sentence on where the gap comes from.
[[nodiscard]] std::string headline(const ReportData& data);
/// Tables by phase and operator class: overall, then one folded section per rank.
[[nodiscard]] std::string tables(const ReportData& data);
/// Uncertainty, warnings, losses, memory.
[[nodiscard]] std::string notes(const ReportData& data);
/// The timelines as JSON for the script; safe inside a <script> element.
[[nodiscard]] std::string timelineJson(const ReportData& data);

}  // namespace orrery::html_parts
