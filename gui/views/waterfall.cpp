#include "gui/views/waterfall.hpp"

#include <QPainter>
#include <algorithm>

#include "gui/style/palette.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/save_picture.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

constexpr std::size_t kMostBars = 14;

}  // namespace

Waterfall::Waterfall(QWidget* parent) : QWidget(parent) {
    setMinimumSize(360, 240);
    setAccessibleName(tr("From the predicted to the measured step"));
    addPictureMenu(*this, QStringLiteral("step"));
}

void Waterfall::setComparison(const TimeTable& table) {
    setBars(table, true, tr("measured"));
}

void Waterfall::setParts(const TimeTable& table, const QString& total) {
    setBars(table, false, total);
}

void Waterfall::setBars(const TimeTable& table, bool hasPrediction, const QString& total) {
    bars_.clear();
    compared_ = hasPrediction;
    std::vector<TimeRow> rows;
    for (const auto& row : table.phases) {
        if (hasPrediction || row.measured.value() > 0) rows.push_back(row);
    }
    const std::size_t shown = std::min(rows.size(), kMostBars);
    double at = hasPrediction ? table.step.predicted.value() : 0.0;
    if (hasPrediction) bars_.push_back({tr("predicted"), text(timeText(table.step.predicted)), 0.0, at, true});
    for (std::size_t i = 0; i < shown; ++i) {
        const Seconds change = hasPrediction ? -rows[i].difference() : rows[i].measured;
        const double next = at + change.value();
        bars_.push_back({text(rows[i].name), text(timeText(change, hasPrediction)), at, next, false});
        at = next;
    }
    if (shown < rows.size()) {
        const Seconds rest(table.step.measured.value() - at);
        bars_.push_back({tr("others"), text(timeText(rest, hasPrediction)), at, table.step.measured.value(), false});
    }
    bars_.push_back({total, text(timeText(table.step.measured)), 0.0, table.step.measured.value(), true});
    // The parts are small beside the step: the axis begins just below them, and says so.
    low_ = high_ = at;
    for (const auto& bar : bars_) {
        low_ = std::min(low_, bar.total ? bar.to : std::min(bar.from, bar.to));
        high_ = std::max({high_, bar.from, bar.to});
    }
    const double span = high_ - low_;
    low_ = hasPrediction ? std::max(0.0, low_ - std::max(span, high_ * 0.02) * 0.6) : 0.0;
    if (low_ < high_ * 0.35) low_ = 0.0;
    update();
}

void Waterfall::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Palette& palette = paletteFor(this->palette());
    painter.fillRect(rect(), QColor::fromRgb(palette.ground));
    if (bars_.empty() || !(high_ > low_)) return;
    int names = 40;
    int values = 40;
    for (const auto& bar : bars_) {
        names = std::max(names, fontMetrics().horizontalAdvance(bar.name));
        values = std::max(values, fontMetrics().horizontalAdvance(bar.value));
    }
    const int left = 14 + names + 10;
    const int right = width() - 14 - values - 10;
    const int top = 12;
    const int slot = std::clamp((height() - top - 30) / static_cast<int>(bars_.size()), 14, 34);
    const auto x = [&](double value) {
        return left + static_cast<int>((std::max(value, low_) - low_) / (high_ - low_) * (right - left));
    };
    int y = top;
    for (std::size_t i = 0; i < bars_.size(); ++i, y += slot) {
        const Bar& bar = bars_[i];
        const int from = x(std::min(bar.from, bar.to));
        const int to = std::max(x(std::max(bar.from, bar.to)), from + 1);
        const bool more = bar.to > bar.from;
        const QRgb colour = bar.total    ? (i == 0 ? palette.accent : palette.muted)
                            : !compared_ ? palette.under
                            : more       ? palette.over
                                         : palette.under;
        const QRect box(from, y + 3, to - from, slot - 7);
        painter.fillRect(box, QColor::fromRgb(colour));
        if (compared_ && !bar.total && !more)
            painter.fillRect(box, QBrush(QColor(255, 255, 255, 110), Qt::BDiagPattern));
        painter.setPen(QColor::fromRgb(palette.text));
        painter.drawText(QRect(14, y, names, slot - 1), Qt::AlignRight | Qt::AlignVCenter, bar.name);
        painter.setPen(QColor::fromRgb(bar.total ? palette.text : colour));
        painter.drawText(QRect(to + 8, y, values + 20, slot - 1), Qt::AlignLeft | Qt::AlignVCenter, bar.value);
        if (i + 1 < bars_.size()) {
            painter.setPen(QPen(QColor::fromRgb(palette.line), 1, Qt::DotLine));
            const int edge = x(bar.to);
            painter.drawLine(edge, y + slot - 4, edge, y + slot + 3);
        }
    }
    painter.setPen(QColor::fromRgb(palette.line));
    painter.drawLine(left, top, left, y);
    painter.setPen(QColor::fromRgb(palette.muted));
    const QString start = low_ > 0 ? tr("bars begin at %1, not at zero").arg(text(timeText(Seconds(low_)))) : QString();
    painter.drawText(QRect(left, y + 2, right - left + values, 20), Qt::AlignLeft | Qt::AlignVCenter, start);
}

}  // namespace orrery::gui
