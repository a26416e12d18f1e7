#include "gui/report/export_report.hpp"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QImage>
#include <QPdfWriter>
#include <QTextDocument>
#include <QUrl>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "gui/report/report_text.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "model/units/input_error.hpp"
#include "report/html/write_report.hpp"
#include "report/text/write_file.hpp"
#include "report/trace/write_timeline.hpp"

namespace orrery::gui {
namespace {

constexpr int kWidth = 1600, kLeastHeight = 240, kMostHeight = 1200;

QImage timelinePicture(const Job& job) {
    Session session;
    session.setJob(std::make_shared<const Job>(job));
    TimelineView view(session);
    QPalette light;
    light.setColor(QPalette::Window, Qt::white);
    view.setPalette(light);
    view.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view.resize(kWidth, std::clamp(view.scene().height() + 70, kLeastHeight, kMostHeight));
    return view.grab().toImage();
}

void writeBytes(const std::filesystem::path& file, const QByteArray& bytes) {
    writeFile(file, std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

void writePdf(const Job& job, const std::filesystem::path& file) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF(14, 14, 14, 14), QPageLayout::Millimeter);
        writer.setResolution(200);
        writer.setTitle(QString::fromStdString(job.title));
        writer.setCreator(QStringLiteral("Orrery " ORRERY_VERSION));
        QTextDocument document;
        QFont font;
        font.setPointSizeF(8.5);
        document.setDefaultFont(font);
        document.documentLayout();
        const bool picture = !job.predicted.empty() || !job.measured.empty();
        const QSizeF page = writer.pageLayout().paintRectPixels(writer.resolution()).size();
        if (picture) {
            const int width = static_cast<int>(page.width() * 0.98);
            document.addResource(QTextDocument::ImageResource, QUrl("timeline"),
                                 timelinePicture(job).scaledToWidth(width, Qt::SmoothTransformation));
        }
        document.setHtml(reportText(job, picture));
        document.setPageSize(page);
        document.print(&writer);
    }
    writeBytes(file, bytes);
}

}  // namespace

void checkExportSuffix(const std::filesystem::path& file) {
    const auto suffix = file.extension();
    if (suffix == ".pdf" || suffix == ".png") return;
    try {
        checkReportSuffix(file);
    } catch (const InputError&) {
        throw InputError(fmt::format(
            "{}: reports are written as .html, .pdf, .csv, .json, .pftrace or .png (the timeline)", file.string()));
    }
}

void exportReport(const Job& job, const std::filesystem::path& file) {
    checkExportSuffix(file);
    const auto suffix = file.extension();
    if (suffix == ".pdf") return writePdf(job, file);
    if (suffix == ".png") {
        if (job.predicted.empty() && job.measured.empty()) {
            throw InputError(fmt::format("{}: the job has no timeline to draw; export .pdf instead", file.string()));
        }
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        timelinePicture(job).save(&buffer, "PNG");
        return writeBytes(file, bytes);
    }
    if (suffix == ".pftrace" && !job.report && !job.predicted.empty()) {
        return writeTimeline(file, {{"predicted", *job.predicted.timeline}});
    }
    if (!job.report) {
        throw InputError(
            fmt::format("{}: a comparison needs a recording with steps; open one, or export .pdf", file.string()));
    }
    writeReport(file, *job.report);
}

}  // namespace orrery::gui
