#include "report/html/write_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "model/units/input_error.hpp"
#include "report/html/job_report.hpp"
#include "report/table/comparison_table.hpp"
#include "report/text/write_file.hpp"

namespace orrery {

void checkReportSuffix(const std::filesystem::path& file) {
    constexpr std::array<std::string_view, 4> kSuffixes{".html", ".csv", ".json", ".pftrace"};
    const auto suffix = file.extension().string();
    if (std::find(kSuffixes.begin(), kSuffixes.end(), suffix) != kSuffixes.end()) return;
    throw InputError(
        fmt::format("{}: a report is written as .html, .csv, .json or .pftrace, not '{}'", file.string(), suffix));
}

void writeReport(const std::filesystem::path& file, const ReportData& data) {
    checkReportSuffix(file);
    const auto suffix = file.extension().string();
    if (suffix == ".html") return writeFile(file, htmlReport(data));
    if (suffix == ".csv") return writeFile(file, comparisonCsv(data.comparison));
    if (suffix == ".json") return writeFile(file, comparisonJson(data.comparison));
    writeTimeline(file, timelinesOf(data));
}

}  // namespace orrery
