#include "gui/views/chart_parts.hpp"

#include <QAbstractAxis>
#include <QChart>
#include <QChartView>
#include <QLegend>

#include "gui/style/palette.hpp"
#include "gui/views/save_picture.hpp"

namespace orrery::gui {

QChartView* newChartView(const QString& name) {
    auto* chart = new QChart;
    chart->setAnimationOptions(QChart::NoAnimation);
    chart->setMargins(QMargins(6, 6, 6, 6));
    chart->setBackgroundRoundness(0);
    chart->legend()->setAlignment(Qt::AlignTop);
    auto* view = new QChartView(chart);
    view->setRenderHint(QPainter::Antialiasing);
    view->setAccessibleName(name);
    view->setMinimumHeight(200);
    view->setFrameShape(QFrame::NoFrame);
    addPictureMenu(*view, QStringLiteral("chart"));
    return view;
}

void dressChart(QChart& chart, const QWidget& widget) {
    const Palette& palette = paletteFor(widget.palette());
    chart.setBackgroundBrush(QColor::fromRgb(palette.ground));
    chart.setTitleBrush(QColor::fromRgb(palette.text));
    chart.legend()->setLabelColor(QColor::fromRgb(palette.text));
    for (QAbstractAxis* axis : chart.axes()) {
        axis->setLabelsColor(QColor::fromRgb(palette.text));
        axis->setTitleBrush(QColor::fromRgb(palette.muted));
        axis->setGridLineColor(QColor::fromRgb(palette.line));
        axis->setLinePenColor(QColor::fromRgb(palette.line));
        QFont title = widget.font();
        title.setBold(false);
        axis->setTitleFont(title);
        axis->setLabelsFont(widget.font());
    }
    QFont title = widget.font();
    title.setBold(true);
    chart.setTitleFont(title);
}

void clearChart(QChart& chart) {
    chart.removeAllSeries();
    for (QAbstractAxis* axis : chart.axes()) {
        chart.removeAxis(axis);
        delete axis;
    }
}

}  // namespace orrery::gui
