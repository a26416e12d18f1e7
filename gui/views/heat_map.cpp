#include "gui/views/heat_map.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/style/palette.hpp"
#include "gui/style/texts.hpp"

namespace orrery::gui {
namespace {

constexpr int kLeft = 130, kTop = 30, kRight = 16, kBottom = 46;

QRgb between(QRgb a, QRgb b, double part) {
    const auto channel = [part](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * part)); };
    return qRgb(channel(qRed(a), qRed(b)), channel(qGreen(a), qGreen(b)), channel(qBlue(a), qBlue(b)));
}

}  // namespace

HeatMap::HeatMap(QWidget* parent) : QWidget(parent) {
    setMinimumSize(300, 160);
    setAccessibleName(tr("Time of each micro-batch on each rank"));
}

void HeatMap::setTimes(MicroBatchTimes times) {
    times_ = std::move(times);
    double sum = 0.0;
    int count = 0;
    for (const auto time : times_.time) {
        sum += static_cast<double>(time);
        count += time > 0 ? 1 : 0;
    }
    mean_ = count == 0 ? 0.0 : sum / count;
    spread_ = 0.0;
    for (const auto time : times_.time) {
        if (time > 0) spread_ = std::max(spread_, std::abs(static_cast<double>(time) - mean_));
    }
    setMinimumHeight(kTop + kBottom + std::clamp(static_cast<int>(times_.ranks.size()), 1, 4000) * 14);
    updateGeometry();
    update();
}

QSize HeatMap::sizeHint() const {
    return {700, kTop + kBottom + static_cast<int>(times_.ranks.size()) * 34};
}

QRect HeatMap::cell(int rank, int microBatch) const {
    const int columns = std::max(1, times_.microBatches);
    const int rows = std::max(1, static_cast<int>(times_.ranks.size()));
    const int across = width() - kLeft - kRight;
    const int down = std::min(height() - kTop - kBottom, rows * 60);
    const int left = kLeft + across * microBatch / columns;
    const int top = kTop + down * rank / rows;
    return {left, top, kLeft + across * (microBatch + 1) / columns - left, kTop + down * (rank + 1) / rows - top};
}

QRgb HeatMap::colourOf(std::int64_t time) const {
    const Palette& palette = paletteFor(this->palette());
    if (time <= 0) return palette.ground;
    const double off = spread_ > 0 ? (static_cast<double>(time) - mean_) / spread_ : 0.0;
    const QRgb middle = palette.dark ? 0xff3a4048 : 0xffeef0f2;
    return between(middle, off > 0 ? 0xffe07b00 : 0xff0072b2, std::min(1.0, std::abs(off)));
}

void HeatMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Palette& palette = paletteFor(this->palette());
    painter.fillRect(rect(), QColor::fromRgb(palette.ground));
    const int rows = static_cast<int>(times_.ranks.size());
    for (int rank = 0; rank < rows; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        const QRect first = cell(rank, 0);
        if (first.height() >= 11) {
            painter.setPen(QColor::fromRgb(palette.text));
            const QString name = times_.stages[index] < 0
                                     ? tr("rank %1").arg(times_.ranks[index])
                                     : tr("rank %1 · stage %2").arg(times_.ranks[index]).arg(times_.stages[index]);
            painter.drawText(QRect(4, first.top(), kLeft - 14, first.height()), Qt::AlignRight | Qt::AlignVCenter,
                             name);
        }
        for (int m = 0; m < times_.microBatches; ++m) {
            const auto time = times_.at(index, m);
            const QRect box = cell(rank, m);
            const QRgb colour = colourOf(time);
            painter.fillRect(box.width() > 6 && box.height() > 6 ? box.adjusted(0, 0, -1, -1) : box,
                             QColor::fromRgb(colour));
            if (time <= 0) continue;
            const QString value = durationText(time);
            if (box.height() < 14 || box.width() < fontMetrics().horizontalAdvance(value) + 6) continue;
            painter.setPen(QColor::fromRgb(textOn(colour)));
            painter.drawText(box, Qt::AlignCenter, value);
        }
    }
    painter.setPen(QColor::fromRgb(palette.muted));
    const int every = std::max(1, times_.microBatches * 28 / std::max(1, width() - kLeft - kRight));
    for (int m = 0; m < times_.microBatches; m += every) {
        const QRect box = cell(0, m);
        painter.drawText(QRect(box.left() - 20, 4, box.width() + 40, kTop - 8), Qt::AlignCenter, QString::number(m));
    }
    painter.drawText(QRect(4, 4, kLeft - 14, kTop - 8), Qt::AlignRight | Qt::AlignVCenter, tr("micro-batch"));
    const int y = rows == 0 ? kTop : cell(rows - 1, 0).bottom() + 14;
    const int scale = std::min(360, width() - kLeft - kRight);
    for (int x = 0; x < scale; ++x) {
        const double off = (2.0 * x / scale - 1.0) * spread_;
        painter.fillRect(kLeft + x, y, 1, 10,
                         QColor::fromRgb(colourOf(static_cast<std::int64_t>(std::max(1.0, mean_ + off)))));
    }
    painter.drawText(
        QRect(kLeft + scale + 10, y - 4, 400, 18), Qt::AlignVCenter,
        tr("mean %1, up to %2 off")
            .arg(durationText(static_cast<std::int64_t>(mean_)), durationText(static_cast<std::int64_t>(spread_))));
}

QString HeatMap::tipAt(const QPoint& point) const {
    for (int rank = 0; rank < static_cast<int>(times_.ranks.size()); ++rank) {
        const QRect row = cell(rank, 0);
        if (point.y() < row.top() || point.y() > row.bottom()) continue;
        for (int m = 0; m < times_.microBatches; ++m) {
            if (!cell(rank, m).contains(point)) continue;
            return tr("rank %1, micro-batch %2: %3")
                .arg(times_.ranks[static_cast<std::size_t>(rank)])
                .arg(m)
                .arg(durationText(times_.at(static_cast<std::size_t>(rank), m)));
        }
    }
    return {};
}

bool HeatMap::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);
    return true;
}

}  // namespace orrery::gui
