#include "gui/views/heat_map.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/style/palette.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/save_picture.hpp"

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
    addPictureMenu(*this, QStringLiteral("heat-map"));
}

void HeatMap::setGrid(HeatGrid grid) {
    grid_ = std::move(grid);
    double sum = 0.0;
    int count = 0;
    for (const double value : grid_.values) {
        sum += value;
        count += value > 0.0 ? 1 : 0;
    }
    mean_ = count == 0 ? 0.0 : sum / count;
    spread_ = 0.0;
    for (const double value : grid_.values) {
        if (value > 0.0) spread_ = std::max(spread_, std::abs(value - mean_));
    }
    setMinimumHeight(kTop + kBottom + std::clamp(rows(), 1, 4000) * 14);
    updateGeometry();
    update();
}

void HeatMap::setTimes(const MicroBatchTimes& times) {
    HeatGrid grid;
    for (std::size_t rank = 0; rank < times.ranks.size(); ++rank) {
        grid.rows.push_back(times.stages[rank] < 0
                                ? tr("rank %1").arg(times.ranks[rank])
                                : tr("rank %1 · stage %2").arg(times.ranks[rank]).arg(times.stages[rank]));
    }
    for (int m = 0; m < times.microBatches; ++m) grid.columns.push_back(QString::number(m));
    grid.corner = tr("micro-batch");
    grid.values.assign(times.time.begin(), times.time.end());
    grid.text = [](double ns) { return durationText(static_cast<std::int64_t>(ns)); };
    setGrid(std::move(grid));
}

QSize HeatMap::sizeHint() const {
    return {700, kTop + kBottom + rows() * 34};
}

QRect HeatMap::cell(int row, int column) const {
    const int across = std::min(width() - kLeft - kRight, std::max(1, columns()) * 220);
    const int down = std::min(height() - kTop - kBottom, std::max(1, rows()) * 60);
    const int left = kLeft + across * column / std::max(1, columns());
    const int top = kTop + down * row / std::max(1, rows());
    return {left, top, kLeft + across * (column + 1) / std::max(1, columns()) - left,
            kTop + down * (row + 1) / std::max(1, rows()) - top};
}

QRgb HeatMap::colourOf(double value) const {
    const Palette& palette = paletteFor(this->palette());
    if (value <= 0.0) return palette.ground;
    const double off = spread_ > 0 ? (value - mean_) / spread_ : 0.0;
    const QRgb middle = palette.dark ? 0xff3a4048 : 0xffeef0f2;
    return between(middle, off > 0 ? 0xffe07b00 : 0xff0072b2, std::min(1.0, std::abs(off)));
}

void HeatMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Palette& palette = paletteFor(this->palette());
    painter.fillRect(rect(), QColor::fromRgb(palette.ground));
    if (!grid_.text) return;
    for (int row = 0; row < rows(); ++row) {
        const QRect first = cell(row, 0);
        if (first.height() >= 11) {
            painter.setPen(QColor::fromRgb(palette.text));
            painter.drawText(QRect(4, first.top(), kLeft - 14, first.height()), Qt::AlignRight | Qt::AlignVCenter,
                             grid_.rows[row]);
        }
        for (int column = 0; column < columns(); ++column) {
            const double value = grid_.at(row, column);
            const QRect box = cell(row, column);
            const QRgb colour = colourOf(value);
            painter.fillRect(box.width() > 6 && box.height() > 6 ? box.adjusted(0, 0, -1, -1) : box,
                             QColor::fromRgb(colour));
            if (value <= 0.0) continue;
            const QString shown = grid_.text(value);
            if (box.height() < 14 || box.width() < fontMetrics().horizontalAdvance(shown) + 6) continue;
            painter.setPen(QColor::fromRgb(textOn(colour)));
            painter.drawText(box, Qt::AlignCenter, shown);
        }
    }
    painter.setPen(QColor::fromRgb(palette.muted));
    const int every = std::max(1, columns() * 28 / std::max(1, width() - kLeft - kRight));
    for (int column = 0; column < columns(); column += every) {
        const QRect box = cell(0, column);
        painter.drawText(QRect(box.left() - 20, 4, box.width() + 40, kTop - 8), Qt::AlignCenter, grid_.columns[column]);
    }
    painter.drawText(QRect(4, 4, kLeft - 14, kTop - 8), Qt::AlignRight | Qt::AlignVCenter, grid_.corner);
    const int y = rows() == 0 ? kTop : cell(rows() - 1, 0).bottom() + 14;
    const int scale = std::min(240, width() - kLeft - kRight);
    for (int x = 0; x < scale; ++x) {
        const double off = (2.0 * x / scale - 1.0) * spread_;
        painter.fillRect(kLeft + x, y, 1, 10, QColor::fromRgb(colourOf(std::max(1e-12, mean_ + off))));
    }
    painter.drawText(QRect(kLeft + scale + 10, y - 4, 400, 18), Qt::AlignVCenter,
                     tr("mean %1, up to %2 off").arg(grid_.text(mean_), grid_.text(spread_)));
}

QString HeatMap::tipAt(const QPoint& point) const {
    for (int row = 0; row < rows(); ++row) {
        const QRect first = cell(row, 0);
        if (point.y() < first.top() || point.y() > first.bottom()) continue;
        for (int column = 0; column < columns(); ++column) {
            if (!cell(row, column).contains(point)) continue;
            return QStringLiteral("%1, %2 %3: %4")
                .arg(grid_.rows[row], grid_.corner, grid_.columns[column], grid_.text(grid_.at(row, column)));
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
