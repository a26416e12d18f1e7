#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/html/html_parts.hpp"
#include "report/table/comparison_table.hpp"
#include "report/text/escape.hpp"

namespace orrery::html_parts {
namespace {

double percentOf(Seconds part, Seconds whole) {
    return whole > Seconds{} ? 100.0 * (part / whole) : 0.0;
}

/// Two bars on the scale of the table's longest row: predicted outlined above measured filled.
std::string bars(const TimeRow& row, Seconds longest, bool hasPrediction) {
    const auto bar = [&](const char* side, Seconds time) {
        return fmt::format("<i class=\"bar {}\" style=\"width:{:.1f}%\"></i>", side,
                           std::max(0.0, percentOf(time, longest)));
    };
    return (hasPrediction ? bar("predicted", row.predicted) : "") + bar("measured", row.measured);
}

std::string figures(const TimeRow& row, Seconds measuredStep, bool hasPrediction) {
    const std::string share = fmt::format("{:.1f} %", percentOf(row.measured, measuredStep));
    if (!hasPrediction) return fmt::format("<td>{}</td><td>{}</td>", timeText(row.measured), share);
    const double difference = row.difference().value();
    const char* sign = difference > 0 ? "over" : difference < 0 ? "under" : "";
    return fmt::format("<td>{}</td><td>{}</td><td class=\"{}\">{}</td><td class=\"{}\">{}</td><td>{}</td>",
                       timeText(row.predicted), timeText(row.measured), sign, timeText(row.difference(), true), sign,
                       percentText(row.errorPercent()), share);
}

std::string table(std::string_view caption, std::string_view key, const TimeTable& source,
                  const std::vector<TimeRow>& rows, bool hasPrediction) {
    Seconds longest{};
    for (const auto& row : rows) longest = std::max({longest, row.predicted, row.measured});
    std::string out = fmt::format("<table class=\"time\"><caption>{}</caption><thead><tr><th>{}</th><th></th>", caption,
                                  key == "phase" ? "phase" : "class");
    out += hasPrediction ? "<th>predicted</th><th>measured</th><th>difference</th><th>error</th>" : "<th>measured</th>";
    out += "<th>share</th></tr></thead><tbody>\n";
    for (const auto& row : rows) {
        out += fmt::format(
            "<tr data-{0}=\"{1}\"><th scope=\"row\"><a href=\"#{0}={1}\" data-key=\"{0}\" data-value=\"{1}\"><i "
            "class=\"swatch {0}-{1}\"></i>{2}</a></th><td class=\"bars\">{3}</td>{4}</tr>\n",
            key, html(row.name), html(row.name), bars(row, longest, hasPrediction),
            figures(row, source.step.measured, hasPrediction));
    }
    out += fmt::format("</tbody><tfoot><tr><th scope=\"row\">step</th><td></td>{}</tr></tfoot></table>\n",
                       figures(source.step, source.step.measured, hasPrediction));
    return out;
}

std::string pair(const TimeTable& source, bool hasPrediction) {
    return "<div class=\"pair\">" + table("By phase", "phase", source, source.phases, hasPrediction) +
           table("By operator class", "class", source, source.classes, hasPrediction) + "</div>\n";
}

}  // namespace

std::string tables(const ReportData& data) {
    const Comparison& comparison = data.comparison;
    std::string out = "<section id=\"tables\"><h2>Where the time went</h2>\n<p class=\"hint\">";
    out += comparison.hasPrediction ? "Mean over ranks, largest difference first. " : "Mean over ranks. ";
    out +=
        "Every nanosecond of the step is in exactly one row of each table. Click a row to show only it on the "
        "timeline.</p>\n";
    out += pair(comparison.overall, comparison.hasPrediction);
    out += "<h3>Per rank</h3>\n";
    for (const auto& rank : comparison.ranks) {
        const std::string stage =
            rank.stage < 0 ? "" : fmt::format(" <span class=\"muted\">stage {}</span>", rank.stage);
        const std::string step = comparison.hasPrediction
                                     ? fmt::format("predicted {} · measured {} · {}", timeText(rank.step.predicted),
                                                   timeText(rank.step.measured), percentText(rank.step.errorPercent()))
                                     : fmt::format("measured {}", timeText(rank.step.measured));
        out += fmt::format(
            "<details class=\"rank\" data-rank=\"{0}\"><summary><a href=\"#rank={0}\" data-key=\"rank\" "
            "data-value=\"{0}\">rank {0}</a>{1}<span class=\"figures\">{2}</span></summary>\n{3}</details>\n",
            rank.rank, stage, step, pair(rank, comparison.hasPrediction));
    }
    return out + "</section>\n";
}

}  // namespace orrery::html_parts
