#include "gui/report/report_text.hpp"

#include <QObject>
#include <QStringList>

#include "gui/style/texts.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

QString tr(const char* source) {
    return QObject::tr(source);
}

QString cells(const QStringList& values, const QString& tag) {
    QString out = QStringLiteral("<tr>");
    for (qsizetype i = 0; i < values.size(); ++i) {
        out += QStringLiteral("<%1 align='%2' style='padding:2px 14px 2px 0'>%3</%1>")
                   .arg(tag, i == 0 ? "left" : "right", values[i].toHtmlEscaped());
    }
    return out + QStringLiteral("</tr>");
}

QString figures(const Job& job) {
    QString out;
    if (job.report) {
        const TimeRow& step = job.report->comparison.overall.step;
        if (job.report->comparison.hasPrediction) {
            out += tr("<p><b>Step: predicted %1, measured %2, error %3</b></p>")
                       .arg(text(timeText(step.predicted)), text(timeText(step.measured)),
                            text(percentText(step.errorPercent())));
        } else {
            out += tr("<p><b>Measured step: %1</b></p>").arg(text(timeText(step.measured)));
        }
    }
    if (!job.prediction) return out;
    const StepMetrics& metrics = job.prediction->metrics;
    out += QStringLiteral("<table>");
    out += cells({tr("predicted step"),
                  QStringLiteral("%1 ± %2").arg(text(timeText(metrics.step)), shareText(metrics.relativeSigma))},
                 "td");
    out += cells({tr("tokens/s/GPU"), QString::number(metrics.tokensPerSecondPerGpu, 'f', 0)}, "td");
    out += cells({tr("model TFLOP/s/GPU"), QString::number(metrics.modelTflopsPerGpu, 'g', 4)}, "td");
    out += cells({tr("MFU"), shareText(metrics.mfu)}, "td");
    out += cells({tr("bubble"), shareText(metrics.bubbleFraction)}, "td");
    out += cells({tr("exposed communication"), shareText(metrics.exposedCommFraction)}, "td");
    out += cells({tr("imbalance (slowest over mean)"), QString::number(metrics.imbalance, 'f', 3)}, "td");
    out += cells({tr("peak memory of a device"), bytesText(metrics.peakMemory)}, "td");
    return out + QStringLiteral("</table>");
}

QString timeRows(const std::vector<TimeRow>& rows, bool both, const QString& title) {
    QString out = QStringLiteral("<h3>%1</h3><table>").arg(title);
    out += both ? cells({tr("where"), tr("predicted"), tr("measured"), tr("difference"), tr("error")}, "th")
                : cells({tr("where"), tr("measured")}, "th");
    for (const auto& row : rows) {
        QStringList values{text(row.name)};
        if (both) values.push_back(text(timeText(row.predicted)));
        values.push_back(text(timeText(row.measured)));
        if (both) values << text(timeText(row.difference(), true)) << text(percentText(row.errorPercent()));
        out += cells(values, "td");
    }
    return out + QStringLiteral("</table>");
}

QString memory(const Job& job) {
    QString out = tr("<h3>Predicted memory of a device, by stage</h3>") + QStringLiteral("<table>");
    out += cells(
        {tr("stage"), tr("weights"), tr("gradients"), tr("optimizer"), tr("activations"), tr("buffers"), tr("total")},
        "th");
    for (const auto& stage : job.prediction->stages) {
        const MemoryUse& use = stage.memory;
        out += cells(
            {QString::number(stage.stage), bytesText(use.weights), bytesText(use.gradients), bytesText(use.optimizer),
             bytesText(use.activations), bytesText(use.buffers), bytesText(use.total())},
            "td");
    }
    return out + QStringLiteral("</table>");
}

QString recording(const Job& job) {
    QString out = tr("<h3>Recording</h3>") + QStringLiteral("<table>");
    out +=
        cells({tr("rank"), tr("steps"), tr("kernels"), tr("GPU idle"), tr("exposed communication"), tr("lost records")},
              "th");
    for (const auto& rank : job.facts) {
        std::int64_t kernels = 0;
        std::int64_t comm = 0;
        std::int64_t exposed = 0;
        double idle = 0.0;
        for (const auto& device : rank.devices) {
            kernels += device.kernels;
            comm += device.commKernels;
            exposed += device.exposedComm;
            idle = std::max(idle, device.idlePercent());
        }
        std::int64_t lost = 0;
        for (const auto& [kind, count] : rank.losses) lost += count;
        out += cells(
            {rank.rank.rank ? QString::number(*rank.rank.rank) : tr("unknown"), countText(rank.steps),
             kernels == 0 ? tr("none recorded") : countText(kernels), kernels == 0 ? tr("–") : shareText(idle / 100.0),
             comm == 0 ? tr("no communication kernels") : durationText(exposed),
             rank.losses.empty() ? tr("not counted") : countText(lost)},
            "td");
    }
    return out + QStringLiteral("</table>");
}

}  // namespace

QString reportText(const Job& job, bool withPicture) {
    QString out = QStringLiteral("<h1>%1</h1>").arg(text(job.title).toHtmlEscaped());
    if (job.report) {
        out += QStringLiteral("<table>");
        for (const auto& [name, value] : job.report->facts) {
            out += QStringLiteral("<tr><td style='padding-right:14px'>%1</td><td>%2</td></tr>")
                       .arg(text(name).toHtmlEscaped(), text(value).toHtmlEscaped());
        }
        out += QStringLiteral("</table>");
    }
    out += figures(job);
    if (withPicture) out += tr("<h3>Timeline of the step</h3>") + QStringLiteral("<p><img src='timeline'></p>");
    if (job.report) {
        const Comparison& comparison = job.report->comparison;
        out += timeRows(comparison.overall.phases, comparison.hasPrediction, tr("Where the step went, by phase"));
        out += timeRows(comparison.overall.classes, comparison.hasPrediction,
                        tr("Where the step went, by operator class"));
    }
    if (job.prediction) out += memory(job);
    if (!job.facts.empty()) out += recording(job);
    if (!job.warnings.empty()) {
        out += tr("<h3>Warnings</h3>") + QStringLiteral("<ul>");
        for (const auto& warning : job.warnings)
            out += QStringLiteral("<li>%1</li>").arg(text(warning).toHtmlEscaped());
        out += QStringLiteral("</ul>");
    }
    return out;
}

}  // namespace orrery::gui
