#include <string_view>

#include <fmt/format.h>

#include "report/html/html_parts.hpp"
#include "report/text/escape.hpp"

namespace orrery {

// report.css, paint.js and report.js, embedded by the build (report/CMakeLists.txt).
extern const std::string_view kReportStyle;
extern const std::string_view kReportPaint;
extern const std::string_view kReportScript;

namespace {

/// Nothing may be fetched, whatever a trace smuggled in: only the file's own style and script run.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

constexpr std::string_view kTimelineSection = R"(<section id="timeline"><h2>{}</h2>
<div class="toolbar"><span id="filter" role="status">All ranks</span>
<a id="clear" href="#" hidden>show all</a><a id="ops" href="#ops=1" hidden>operators</a>
<span class="hint">wheel or W S: zoom · drag or A D: pan · double click or F: fit · hover: details</span></div>
<div id="plot" tabindex="0" aria-label="Timeline of one step, a group of rows per rank on one time axis">
<canvas id="axis"></canvas><div id="scroll"><canvas id="rows"></canvas></div><div id="tip" hidden></div></div>
<div id="legend"></div><p id="omitted" class="muted" hidden></p>
<noscript><p class="bad">The timeline needs JavaScript; the tables below do not.</p></noscript></section>
)";

std::string facts(const ReportData& data) {
    std::string out = "<dl class=\"facts\">";
    for (const auto& [name, value] : data.facts) {
        out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", html(name), html(value));
    }
    return out + "</dl>\n";
}

}  // namespace

std::string htmlReport(const ReportData& data) {
    const std::string title = html(data.title);
    std::string out = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} · Orrery</title>\n<style>\n",
        kPolicy, title);
    out += kReportStyle;
    out += fmt::format("</style></head><body>\n<header><h1>{}</h1>\n{}</header>\n<main>\n", title, facts(data));
    out += html_parts::headline(data);
    const char* sides = data.predicted ? "One step, predicted and measured" : "One step, measured";
    if (data.predicted || data.measured) out += fmt::format(kTimelineSection, sides);
    out += html_parts::tables(data) + html_parts::notes(data);
    out +=
        "</main>\n<footer>Written by Orrery. This file is complete: it loads nothing.</footer>\n"
        "<script type=\"application/json\" id=\"data\">\n";
    out += html_parts::timelineJson(data);
    out += "\n</script>\n<script>\n";
    out += kReportPaint;
    out += kReportScript;
    out += "</script>\n</body></html>\n";
    return out;
}

}  // namespace orrery
