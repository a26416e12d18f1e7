// What all charts have in common: colours of the theme, no animation, readable axes.
#pragma once

#include <QString>

class QAbstractAxis;
class QChart;
class QChartView;
class QWidget;

namespace orrery::gui {

/// An empty chart in a view with the theme's colours.
[[nodiscard]] QChartView* newChartView(const QString& name);
/// Colours for the palette of `widget`; call after axes and series are added.
void dressChart(QChart& chart, const QWidget& widget);
/// Takes all series and axes away.
void clearChart(QChart& chart);

}  // namespace orrery::gui
