#include "gui/views/memory_chart.hpp"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QChartView>
#include <QLegendMarker>
#include <QLineSeries>
#include <QStackedBarSeries>
#include <QVBoxLayout>
#include <QValueAxis>
#include <array>
#include <cmath>

#include "gui/style/palette.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/chart_parts.hpp"

namespace orrery::gui {
namespace {

constexpr double kGiB = 1073741824.0;

struct Kind {
    const char* name;
    Bytes MemoryUse::*bytes;
};
constexpr std::array<Kind, 5> kKinds = {{{"weights", &MemoryUse::weights},
                                         {"gradients", &MemoryUse::gradients},
                                         {"optimizer", &MemoryUse::optimizer},
                                         {"activations", &MemoryUse::activations},
                                         {"buffers", &MemoryUse::buffers}}};

}  // namespace

MemoryChart::MemoryChart(QWidget* parent) : QWidget(parent), view_(newChartView(tr("Memory per stage"))) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(view_);
}

void MemoryChart::setStages(const std::vector<StagePrediction>& stages, Bytes capacity) {
    QChart& chart = *view_->chart();
    clearChart(chart);
    double used = 0.0;
    for (const auto& stage : stages) used = std::max(used, stage.memory.total().value());
    // A device that is nearly empty would press the bars flat: then its size is said, not drawn.
    const bool drawCapacity = capacity.value() > 0 && used > 0.15 * capacity.value();
    const double largest = drawCapacity ? std::max(used, capacity.value()) : used;
    chart.setTitle(drawCapacity || capacity.value() <= 0
                       ? QString()
                       : tr("at most %1 of the device's %2").arg(bytesText(Bytes(used)), bytesText(capacity)));
    const double unit = largest >= kGiB ? kGiB : kGiB / 1024.0;
    auto* bars = new QStackedBarSeries;
    bars->setBarWidth(stages.size() < 4 ? 0.35 : 0.7);
    int index = 0;
    for (const auto& kind : kKinds) {
        auto* set = new QBarSet(kind.name);
        for (const auto& stage : stages) set->append((stage.memory.*kind.bytes).value() / unit);
        set->setColor(seriesColour(index++));
        set->setBorderColor(Qt::transparent);
        bars->append(set);
    }
    chart.addSeries(bars);
    auto* across = new QBarCategoryAxis;
    for (const auto& stage : stages) across->append(QString::number(stage.stage));
    across->setTitleText(tr("pipeline stage"));
    auto* up = new QValueAxis;
    up->setTitleText(unit == kGiB ? tr("GiB a device") : tr("MiB a device"));
    up->setRange(0.0, largest / unit * 1.12);
    up->setLabelFormat(largest / unit < 10 ? "%.1f" : "%.0f");
    chart.addAxis(across, Qt::AlignBottom);
    chart.addAxis(up, Qt::AlignLeft);
    up->applyNiceNumbers();
    bars->attachAxis(across);
    bars->attachAxis(up);
    if (drawCapacity) {
        auto* line = new QLineSeries;
        line->setName(tr("device: %1").arg(bytesText(capacity)));
        line->append(-0.5, capacity.value() / unit);
        line->append(static_cast<double>(stages.size()) - 0.5, capacity.value() / unit);
        line->setPen(QPen(QColor::fromRgb(paletteFor(palette()).mark), 2, Qt::DashLine));
        chart.addSeries(line);
        auto* hidden = new QValueAxis;
        hidden->setRange(-0.5, static_cast<double>(stages.size()) - 0.5);
        hidden->setVisible(false);
        chart.addAxis(hidden, Qt::AlignTop);
        line->attachAxis(hidden);
        line->attachAxis(up);
    }
    dressChart(chart, *this);
}

}  // namespace orrery::gui
