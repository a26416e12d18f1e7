// What the timeline view paints around and over the spans: names, ruler, step bar, labels, ranges, the selection.
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "gui/style/texts.hpp"
#include "gui/timeline/timeline_view.hpp"
#include "gui/timeline/view_layout.hpp"

namespace orrery::gui {
namespace {

using view_layout::kGutter;
using view_layout::kRuler;

/// Distance of ticks: 1, 2 or 5 times a power of ten, at least `pixels` apart.
std::int64_t tickFor(double nsPerPixel, double pixels) {
    const double least = std::max(1.0, nsPerPixel * pixels);
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (power * factor >= least) return static_cast<std::int64_t>(power * factor);
    }
    return static_cast<std::int64_t>(power * 10.0);
}

}  // namespace

void TimelineView::paintEvent(QPaintEvent*) {
    const Palette& palette = paletteFor(this->palette());
    QPainter painter(viewport());
    if (scene_.empty()) return paintEmpty(painter, palette);
    view_.top = verticalScrollBar()->value();
    view_.scale = viewport()->devicePixelRatioF();
    const QSize size(static_cast<int>(plotWidth() * view_.scale), static_cast<int>(plotHeight() * view_.scale));
    if (image_.size() != size) image_ = QImage(size, QImage::Format_RGB32);
    paintSpans(image_, scene_, view_, palette, filter_, labels_);
    image_.setDevicePixelRatio(view_.scale);
    painter.drawImage(kGutter, head(), image_);
    painter.save();
    painter.setClipRect(kGutter, head(), plotWidth(), plotHeight());
    paintLabels(painter);
    paintRanges(painter, palette);
    paintSelection(painter, palette);
    painter.restore();
    paintGutter(painter, palette);
    paintSteps(painter, palette);
    paintRuler(painter, palette);
    if (hasFocus()) {
        painter.setPen(QColor::fromRgb(palette.accent));
        painter.drawLine(0, 0, viewport()->width(), 0);
    }
}

void TimelineView::paintEmpty(QPainter& painter, const Palette& palette) const {
    painter.fillRect(viewport()->rect(), QColor::fromRgb(palette.ground));
    painter.setPen(QColor::fromRgb(palette.muted));
    const QString why = session_.job() == nullptr
                            ? tr("Open a recording or a scenario to see its timeline")
                            : tr("This file has no spans with times: nothing to put on a timeline");
    painter.drawText(viewport()->rect(), Qt::AlignCenter, why);
}

void TimelineView::paintLabels(QPainter& painter) const {
    QFont small = font();
    small.setPixelSize(11);
    painter.setFont(small);
    const QFontMetrics metrics(small);
    for (const auto& place : labels_) {
        const Timeline& data = *timeline(place.side);
        const Span span = data.span(place.row);
        const QString full = spanLabel(data, span);
        const int room = place.box.width() - 6;
        QString shown = metrics.horizontalAdvance(full) <= room ? full : QString();
        if (shown.isNull()) shown = room >= 40 ? metrics.elidedText(full, Qt::ElideRight, room) : QString();
        if (shown.isEmpty()) continue;
        const QRect box = place.box.adjusted(3, 0, -3, 0).translated(kGutter, head());
        if (span.phase == Phase::wait) {  // hatches would make it unreadable
            const int width = metrics.horizontalAdvance(shown);
            painter.fillRect(QRect(box.left() - 1, box.top() + 2, width + 3, box.height() - 4),
                             QColor::fromRgb(place.ground));
        }
        painter.setPen(QColor::fromRgb(textOn(place.ground)));
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown);
    }
}

void TimelineView::paintGutter(QPainter& painter, const Palette& palette) const {
    const int top = head();
    painter.fillRect(0, 0, kGutter, viewport()->height(), QColor::fromRgb(palette.panel));
    painter.save();
    painter.setClipRect(0, top, viewport()->width(), plotHeight());
    QFont bold = font();
    bold.setBold(true);
    for (const auto& row : scene_.rows()) {
        const int y = top + row.y - view_.top;
        if (y + row.height < top || y > viewport()->height()) continue;
        const QRect box(0, y, kGutter, row.height);
        if (row.header) {
            painter.setPen(QColor::fromRgb(palette.line));
            painter.drawLine(0, y, kGutter, y);
            painter.setPen(QColor::fromRgb(palette.text));
            painter.setFont(bold);
            const QString arrow = scene_.folded(row.rank) ? QStringLiteral("▸ ") : QStringLiteral("▾ ");
            painter.drawText(box.adjusted(8, 0, -4, 0), Qt::AlignVCenter, arrow + text(row.label));
            painter.setFont(font());
            continue;
        }
        const bool predicted = row.side == Side::predicted;
        painter.fillRect(QRect(kGutter - 4, y, 3, row.height),
                         QColor::fromRgb(predicted ? palette.accent : palette.line));
        if (!row.first || row.height < Scene::kRowHeight) continue;
        painter.setPen(QColor::fromRgb(predicted ? palette.accent : palette.text));
        const Side other = predicted ? Side::measured : Side::predicted;
        const bool alone = scene_.side(other).data.empty();  // then the room goes to the name
        const QString side = alone ? QString() : predicted ? tr("predicted") : tr("measured");
        const int sideWidth = painter.fontMetrics().horizontalAdvance(side);
        painter.drawText(box.adjusted(0, 0, -10, 0), Qt::AlignRight | Qt::AlignVCenter, side);
        painter.setPen(QColor::fromRgb(palette.text));
        painter.drawText(box.adjusted(22, 0, 0, 0), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text(row.label), Qt::ElideRight, kGutter - 42 - sideWidth));
    }
    painter.restore();
    painter.setPen(QColor::fromRgb(palette.line));
    painter.drawLine(kGutter - 1, 0, kGutter - 1, viewport()->height());
}

void TimelineView::paintRuler(QPainter& painter, const Palette& palette) const {
    const int top = head() - kRuler;
    painter.fillRect(0, top, viewport()->width(), kRuler, QColor::fromRgb(palette.panel));
    painter.setPen(QColor::fromRgb(palette.line));
    painter.drawLine(0, head() - 1, viewport()->width(), head() - 1);
    painter.setPen(QColor::fromRgb(palette.muted));
    const auto length = static_cast<std::int64_t>(view_.to - view_.from);
    painter.drawText(QRect(8, top, kGutter - 16, kRuler), Qt::AlignVCenter, tr("shown: %1").arg(durationText(length)));
    const std::int64_t tick = tickFor((view_.to - view_.from) / plotWidth(), 110.0);
    // In a step that is compared, time counts from where the step begins; otherwise from the start of the recording.
    const std::int64_t zero = session_.offset(Side::predicted);
    auto at =
        static_cast<std::int64_t>(std::floor((view_.from - static_cast<double>(zero)) / static_cast<double>(tick)));
    for (;; ++at) {
        const int x = xOf(static_cast<double>(zero + at * tick));
        if (x > viewport()->width()) break;
        if (x < kGutter) continue;
        painter.setPen(QColor::fromRgb(palette.line));
        painter.drawLine(x, head() - 8, x, head() - 1);
        painter.setPen(QColor::fromRgb(palette.muted));
        painter.drawText(QRect(x + 4, top, 105, kRuler), Qt::AlignVCenter, axisText(at * tick, tick));
    }
    const TimeRange range = session_.range();
    if (range.empty()) return;
    const int from = std::max(kGutter, xOf(static_cast<double>(range.begin)));
    const int to = std::max(kGutter, xOf(static_cast<double>(range.end)));
    painter.fillRect(from, top + 2, to - from, kRuler - 4, QColor::fromRgb(palette.accent));
    painter.setPen(QColor::fromRgb(textOn(palette.accent)));
    painter.drawText(QRect(from, top, to - from, kRuler), Qt::AlignCenter, durationText(range.end - range.begin));
}

void TimelineView::paintSteps(QPainter& painter, const Palette& palette) const {
    const int height = head() - kRuler;
    if (height == 0) return;
    const auto& steps = session_.job()->steps;
    std::int64_t longest = 1;
    for (const auto& step : steps) longest = std::max(longest, step.end - step.begin);
    painter.fillRect(0, 0, viewport()->width(), height, QColor::fromRgb(palette.panel));
    const double slot = static_cast<double>(plotWidth()) / static_cast<double>(steps.size());
    painter.setPen(QColor::fromRgb(palette.muted));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const StepExtent& step = steps[i];
        const int bar = std::max(1, static_cast<int>((height - 6) * (step.end - step.begin) / longest));
        const QRectF box(kGutter + slot * static_cast<double>(i) + 1, height - bar - 1, std::max(1.0, slot - 2), bar);
        const bool chosen = step.step == session_.step();
        const QRgb colour = chosen ? palette.accent : palette.dark ? 0xff4a535c : 0xffc4cad1;
        painter.fillRect(box, QColor::fromRgb(colour));
        if (slot < 74) continue;
        painter.setPen(QColor::fromRgb(textOn(colour)));
        const QString label = QStringLiteral("%1 · %2").arg(step.step).arg(durationText(step.end - step.begin));
        painter.drawText(box.adjusted(0, 0, 0, 0), Qt::AlignCenter, label);
    }
    painter.setPen(QColor::fromRgb(palette.muted));
    QString caption = tr("steps");
    for (const auto& step : steps) {
        if (step.step == session_.step())
            caption = tr("step %1: %2").arg(step.step).arg(durationText(step.end - step.begin));
    }
    painter.drawText(QRect(8, 0, kGutter - 16, height), Qt::AlignVCenter, caption);
}

void TimelineView::paintRanges(QPainter& painter, const Palette& palette) const {
    const auto shade = [&](const TimeRange& range, QRgb rgb) {
        QColor colour = QColor::fromRgb(rgb);
        const int from = xOf(static_cast<double>(range.begin));
        const int to = xOf(static_cast<double>(range.end));
        painter.setPen(colour);
        painter.drawLine(from, head(), from, viewport()->height());
        painter.drawLine(to, head(), to, viewport()->height());
        colour.setAlpha(36);
        painter.fillRect(from, head(), to - from, plotHeight(), colour);
    };
    for (const auto& mark : marks_) shade(mark, palette.mark);
    if (!session_.range().empty()) shade(session_.range(), palette.accent);
}

QRect TimelineView::boxOf(const Selection& selection) const {
    const TimeRange extent = extentOf(selection);
    const Timeline* data = timeline(selection.side);
    if (data == nullptr || selection.row < 0) return {};
    const Span span = data->span(static_cast<std::size_t>(selection.row));
    for (const auto& row : scene_.rows()) {
        if (row.header || row.side != selection.side) continue;
        const RowSpans& spans = scene_.side(row.side).data.index->rows()[row.index];
        if (spans.track != span.track) continue;
        auto i = std::lower_bound(spans.start.begin(), spans.start.end(), span.start) - spans.start.begin();
        for (auto at = static_cast<std::size_t>(i); at < spans.start.size() && spans.start[at] == span.start; ++at) {
            if (spans.source[at] != static_cast<std::uint32_t>(selection.row)) continue;
            const int from = xOf(static_cast<double>(extent.begin));
            return {from, head() + row.y - view_.top, std::max(3, xOf(static_cast<double>(extent.end)) - from),
                    row.height};
        }
    }
    return {};
}

void TimelineView::paintSelection(QPainter& painter, const Palette& palette) const {
    const Selection& selection = session_.selection();
    if (selection.row < 0) return;
    const QRect box = boxOf(selection);
    if (box.isNull()) return;
    painter.setPen(QPen(QColor::fromRgb(palette.text), 2));
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& flow : const_cast<TimelineView*>(this)->flows(selection.side)) {
        const bool out = static_cast<std::int64_t>(flow.from) == selection.row;
        if (!out && static_cast<std::int64_t>(flow.to) != selection.row) continue;
        const QRect from = boxOf({selection.side, static_cast<std::int64_t>(flow.from)});
        const QRect to = boxOf({selection.side, static_cast<std::int64_t>(flow.to)});
        if (from.isNull() || to.isNull()) continue;
        const QPointF a(from.right(), from.center().y());
        const QPointF b(to.left(), to.center().y());
        const double bend = std::max(24.0, (b.x() - a.x()) / 2);
        QPainterPath path(a);
        path.cubicTo(a + QPointF(bend, 0), b - QPointF(bend, 0), b);
        painter.setPen(QPen(QColor::fromRgb(palette.mark), 1.6));
        painter.drawPath(path);
        painter.drawLine(b, b + QPointF(-7, -4));
        painter.drawLine(b, b + QPointF(-7, 4));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

QString TimelineView::tipFor(const Selection& selection) const {
    const Timeline& data = *timeline(selection.side);
    const Span span = data.span(static_cast<std::size_t>(selection.row));
    QString tip = QStringLiteral("<b>%1</b><br>%2")
                      .arg(text(data.names.text(span.name)).toHtmlEscaped(), durationText(span.duration));
    if (span.microBatch >= 0) tip += tr(" · micro-batch %1").arg(span.microBatch);
    return tip + QStringLiteral("<br>") + (selection.side == Side::predicted ? tr("predicted") : tr("measured"));
}

}  // namespace orrery::gui
