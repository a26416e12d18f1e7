#include "report/html/html_parts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "report/table/comparison_table.hpp"
#include "report/text/escape.hpp"

namespace orrery::html_parts {
namespace {

enum class Part { compute, communication, wait };

/// Which headline an operator class belongs to; copies and host time are in the table only.
std::optional<Part> partOf(std::string_view className) {
    if (className == "wait") return Part::wait;
    const auto cls = parseOpClass(className);
    if (!cls || *cls == OpClass::copy || *cls == OpClass::host) return std::nullopt;
    return isCollective(*cls) ? Part::communication : Part::compute;
}

/// Sum of the class rows of one part. Classes are known on every kind of recording, phases only on annotated ones.
TimeRow sumOf(const TimeTable& table, std::string_view label, Part part) {
    TimeRow sum;
    sum.name = std::string(label);
    for (const auto& row : table.classes) {
        if (partOf(row.name) != part) continue;
        sum.predicted += row.predicted;
        sum.measured += row.measured;
    }
    return sum;
}

std::string card(const TimeRow& row, std::string_view extra, bool hasPrediction) {
    const std::string figure = timeText(row.measured);
    if (!hasPrediction) {
        return fmt::format("<div class=\"card\"><h3>{}</h3><p class=\"figure\">{}</p><p class=\"muted\">{}</p></div>\n",
                           row.name, figure, extra);
    }
    return fmt::format(
        "<div class=\"card\"><h3>{}</h3><dl><dt>predicted</dt><dd>{}</dd><dt>measured</dt><dd>{}</dd></dl>"
        "<p class=\"error\">{} <span class=\"muted\">{}</span></p></div>\n",
        row.name, timeText(row.predicted), figure, percentText(row.errorPercent()), extra);
}

std::string share(const TimeRow& row, const TimeRow& step) {
    const auto percent = [](Seconds part, Seconds whole) { return whole > Seconds{} ? 100.0 * (part / whole) : 0.0; };
    return fmt::format("{:.1f} % of the measured step", percent(row.measured, step.measured));
}

/// "The prediction is 2.7 % above the measured step; most of the gap: wait +0.5 ms, forward -0.2 ms."
std::string sentence(const Comparison& comparison) {
    const TimeRow& step = comparison.overall.step;
    const double error = step.errorPercent();
    std::string out = fmt::format("The prediction is <b>{:.1f} % {}</b> the median of {} measured steps",
                                  std::abs(error), error < 0 ? "below" : "above", comparison.steps.size());
    std::string rows;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, comparison.overall.phases.size()); ++i) {
        const auto& row = comparison.overall.phases[i];
        rows +=
            fmt::format("{}<b>{}</b> {}", rows.empty() ? "" : ", ", html(row.name), timeText(row.difference(), true));
    }
    return rows.empty() ? out + "." : out + ". The largest differences: " + rows + ".";
}

std::string lossList(const ReportData& data) {
    if (data.losses.empty()) {
        return data.lossesKnown ? "<p>No record was lost.</p>\n"
                                : "<p class=\"muted\">The recording has no loss counters.</p>\n";
    }
    std::string out = "<ul>";
    for (const auto& loss : data.losses) {
        out += fmt::format("<li{}>rank {}: {} × {}</li>", loss.count > 0 ? " class=\"bad\"" : "", loss.rank, loss.count,
                           html(loss.kind));
    }
    return out + "</ul>\n";
}

std::string memoryTable(const ReportData& data) {
    if (data.memory.empty()) return "";
    const auto gib = [](Bytes bytes) { return fmt::format("{:.3f}", bytes.value() / (1024.0 * 1024.0 * 1024.0)); };
    std::string out =
        "<h3>Predicted peak memory (GiB per device)</h3><table><thead><tr><th>stage</th><th>weights</th>"
        "<th>gradients</th><th>optimizer</th><th>activations</th><th>buffers</th><th>framework</th><th>total</th></"
        "tr></thead><tbody>\n";
    for (const auto& m : data.memory) {
        out += fmt::format(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
            "<td><b>{}</b></td></tr>\n",
            m.stage, gib(m.use.weights), gib(m.use.gradients), gib(m.use.optimizer), gib(m.use.activations),
            gib(m.use.buffers), gib(m.use.framework), gib(m.use.total()));
    }
    return out + "</tbody></table>\n";
}

}  // namespace

std::string headline(const ReportData& data) {
    const Comparison& comparison = data.comparison;
    const auto& overall = comparison.overall;
    TimeRow step = overall.step;
    step.name = "Step time";
    const bool both = comparison.hasPrediction;
    const auto [low, high] = std::minmax_element(comparison.stepTimes.begin(), comparison.stepTimes.end());
    std::string spread = "one step measured";
    if (comparison.stepTimes.size() > 1) {
        spread = fmt::format("measured {} to {}", timeText(*low), timeText(*high));
    }
    if (data.relativeSigma > 0.0) spread += fmt::format(", prediction ± {:.1f} %", 100.0 * data.relativeSigma);
    const auto compute = sumOf(overall, "Compute", Part::compute);
    const auto comm = sumOf(overall, "Exposed communication", Part::communication);
    const auto wait = sumOf(overall, "Waiting", Part::wait);
    std::string out = "<section id=\"headline\"><div class=\"cards\">\n";
    out += card(step, spread, both) + card(compute, share(compute, step), both) + card(comm, share(comm, step), both) +
           card(wait, share(wait, step), both);
    out += "</div>\n";
    if (both) out += "<p class=\"verdict\">" + sentence(comparison) + "</p>\n";
    return out + "</section>\n";
}

std::string notes(const ReportData& data) {
    std::string out = "<section id=\"notes\"><h2>What to know about these numbers</h2>\n";
    const auto counted = data.comparison.steps.size();
    out += counted > 1
               ? fmt::format("<p>The measured step is step {}, the median of {}. Warm-up steps skipped: {}. ",
                             data.comparison.medianStep, counted, data.comparison.skippedSteps)
               : fmt::format("<p>The measured step is step {}, the only one that counts. ", data.comparison.medianStep);
    if (data.comparison.hasPrediction) {
        out += data.relativeSigma > 0.0 ? fmt::format(
                                              "The calibration's residuals put the predicted step within "
                                              "± {:.1f} % (one standard deviation).",
                                              100.0 * data.relativeSigma)
                                        : "The prediction carries no uncertainty: it was not calibrated.";
    }
    out += "</p>\n";
    if (!data.warnings.empty()) {
        out += "<h3>Warnings</h3><ul>";
        for (const auto& warning : data.warnings) out += "<li class=\"bad\">" + html(warning) + "</li>";
        out += "</ul>\n";
    }
    if (data.measured) out += "<h3>Lost records</h3>" + lossList(data);
    return out + memoryTable(data) + "</section>\n";
}

}  // namespace orrery::html_parts
