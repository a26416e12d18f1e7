#include "report/capacity/capacity_report.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "report/capacity/days_chart.hpp"
#include "report/text/escape.hpp"

namespace orrery {

extern const std::string_view kReportStyle;  // html/report.css

namespace {

constexpr std::string_view kStyle = R"(
svg.days { width: 100%; max-width: 1000px; height: auto; font-size: 12px; }
svg.days text { fill: var(--text); } svg.days .grid { stroke: var(--line); }
svg.days line.wanted { stroke: var(--bad); stroke-dasharray: 4 4; } svg.days text.wanted { fill: var(--bad); }
table.capacity { border-collapse: collapse; font-variant-numeric: tabular-nums; }
table.capacity th, table.capacity td { padding: 3px 12px; text-align: right; border-bottom: 1px solid var(--line); }
table.capacity td.words, table.capacity th.words { text-align: left; }
ul.answers { font-size: 16px; }
)";

std::string cell(double value, int digits) {
    return value > 0.0 ? fmt::format("<td>{:.{}f}</td>", value, digits) : std::string("<td>–</td>");
}

std::string table(const CapacityPlan& plan) {
    std::string out =
        "<table class=\"capacity\"><thead><tr><th class=\"words\">GPU</th><th>number</th><th>step, s</th><th>MFU, "
        "%</th>"
        "<th>days</th><th>from</th><th>to</th><th>GPU-hours</th><th>MWh</th><th>money</th><th>memory, GiB</th>"
        "<th class=\"words\">plan</th></tr></thead><tbody>\n";
    for (const CapacityRow& row : plan.rows) {
        out += fmt::format("<tr><td class=\"words\">{}</td><td>{}</td>", html(row.device), row.gpus);
        if (!row.prediction) {
            out += fmt::format("<td colspan=\"9\"></td><td class=\"words bad\">{}</td></tr>\n", html(row.reason));
            continue;
        }
        const StepMetrics& metrics = row.prediction->metrics;
        out += cell(metrics.step.value(), 3) + cell(100 * metrics.mfu, 1) + cell(row.cost.days, 1) +
               cell(row.cost.daysLow, 1) + cell(row.cost.daysHigh, 1) + cell(row.cost.gpuHours, 0) +
               cell(row.cost.megawattHours, 1) + cell(row.cost.money, 0) + cell(metrics.peakMemory / 1_GiB, 1);
        out += fmt::format("<td class=\"words\">{}</td></tr>\n", html(row.plan));
    }
    return out + "</tbody></table>\n";
}

std::string assumptions(const CapacityPlan& plan) {
    std::string out = "<li>Days from and to: two standard errors of the calibration to each side.</li>\n";
    std::vector<std::string> told;
    for (const CapacityRow& row : plan.rows) {
        if (!row.prediction || std::find(told.begin(), told.end(), row.device) != told.end()) continue;
        told.push_back(row.device);
        const Operation& operation = row.operation;
        out +=
            fmt::format("<li>{}: {:.0f} % of the time makes progress, the rest is failures, restarts and checkpoints",
                        html(row.device), 100 * operation.availability);
        if (operation.tdpWatts > 0.0) {
            out += fmt::format(
                "; {:.0f} W while it computes, {:.0f} % of that while it waits or communicates, {:.0f} W "
                "of host, PUE {:.2f}",
                operation.tdpWatts, 100 * operation.waitingShare, operation.hostWattsPerGpu, operation.pue);
        }
        if (operation.pricePerGpuHour > 0.0) out += fmt::format("; a GPU-hour costs {:g}", operation.pricePerGpuHour);
        out += fmt::format(". Calibration: {}; framework: {}.</li>\n", html(row.calibration), html(row.framework));
    }
    return "<ul>\n" + out + "</ul>\n";
}

}  // namespace

std::string capacityHtml(const CapacityPlan& plan) {
    std::string out = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
        "http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
        "content=\"light dark\">\n<title>{0} · capacity · Orrery</title>\n<style>\n",
        html(plan.name));
    out += kReportStyle;
    out += kStyle;
    out += fmt::format("</style></head><body>\n<header><h1>{}</h1>\n<p>{} · {:.4g} tokens</p></header>\n<main>\n",
                       html(plan.name), html(plan.rows.empty() ? "" : plan.rows.front().model), plan.tokens);
    out += "<ul class=\"answers\">\n";
    for (const std::string& line : answers(plan)) out += fmt::format("<li>{}</li>\n", html(line));
    out += "</ul>\n<h2>Days against GPUs</h2>\n" + daysChart(plan);
    out += "<h2>What each would take</h2>\n" + table(plan) + "<h2>Assumptions</h2>\n" + assumptions(plan);
    return out +
           "</main>\n<footer>Written by Orrery. This file is complete: it loads nothing.</footer>\n</body></html>\n";
}

std::string capacityCsv(const CapacityPlan& plan) {
    std::string out =
        "gpu,gpus,step_s,mfu,days,days_low,days_high,gpu_hours,mwh,money,money_low,money_high,peak_memory_gib,plan,"
        "reason\r\n";
    for (const CapacityRow& row : plan.rows) {
        out += fmt::format("{},{},", csvField(row.device), row.gpus);
        if (row.prediction) {
            const StepMetrics& metrics = row.prediction->metrics;
            out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},\r\n", metrics.step.value(), metrics.mfu,
                               row.cost.days, row.cost.daysLow, row.cost.daysHigh, row.cost.gpuHours,
                               row.cost.megawattHours, row.cost.money, row.cost.moneyLow, row.cost.moneyHigh,
                               metrics.peakMemory / 1_GiB, csvField(row.plan));
        } else {
            out += fmt::format(",,,,,,,,,,,,{}\r\n", csvField(row.reason));
        }
    }
    return out;
}

}  // namespace orrery
