// Imbalance: how long each rank works on each micro-batch, predicted and measured; stragglers, packing policies and
// what-if in tabs beside it.
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "gui/session/session.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/heat_map.hpp"
#include "gui/views/packing_panel.hpp"
#include "gui/views/scenario_what_if.hpp"
#include "gui/views/straggler_panel.hpp"
#include "gui/views/views.hpp"

namespace orrery::gui {
namespace {

class MicroBatchPanel : public QWidget {
  public:
    explicit MicroBatchPanel(Session& session) : session_(session) {
        side_ = new QComboBox;
        side_->setAccessibleName(tr("Predicted or measured"));
        headline_ = new QLabel;
        headline_->setWordWrap(true);
        auto* bar = new QHBoxLayout;
        bar->setContentsMargins(12, 8, 12, 4);
        bar->addWidget(headline_, 1);
        bar->addWidget(side_);
        map_ = new HeatMap;
        auto* area = new QScrollArea;
        area->setWidget(map_);
        area->setWidgetResizable(true);
        area->setFrameShape(QFrame::NoFrame);
        table_ = new FigureTable;
        table_->setAccessibleName(tr("Ranks"));
        auto* splitter = new QSplitter(Qt::Vertical);
        splitter->addWidget(area);
        splitter->addWidget(table_);
        splitter->setSizes({460, 260});
        auto* content = new QWidget;
        auto* inner = new QVBoxLayout(content);
        inner->setContentsMargins(0, 0, 0, 0);
        inner->addLayout(bar);
        inner->addWidget(splitter, 1);
        empty_ = new EmptyState(content);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(empty_);
        connect(&session_, &Session::jobChanged, this, [this] { takeJob(); });
        connect(&session_, &Session::stepChanged, this, [this] { show(); });
        connect(side_, &QComboBox::currentIndexChanged, this, [this] { show(); });
        takeJob();
    }

  private:
    void takeJob() {
        const QSignalBlocker quiet(side_);
        side_->clear();
        if (!session_.side(Side::measured).empty()) side_->addItem(tr("measured"), static_cast<int>(Side::measured));
        if (!session_.side(Side::predicted).empty()) side_->addItem(tr("predicted"), static_cast<int>(Side::predicted));
        show();
    }

    void show() {
        if (side_->count() == 0)
            return empty_->showReason(tr("Open a recording or a scenario to see who works how long"));
        const auto which = static_cast<Side>(side_->currentData().toInt());
        const TimelineSide& side = session_.side(which);
        const MicroBatchTimes times = microBatchTimes(*side.timeline, which == Side::measured ? session_.step() : -1);
        if (times.microBatches == 0) {
            if (side_->count() > 1 && which == Side::measured) {
                const QSignalBlocker quiet(side_);
                side_->removeItem(side_->currentIndex());
                return show();
            }
            return empty_->showReason(
                tr("This recording does not say which micro-batch its work belongs to. Annotate tasks "
                   "(docs/annotations.md) to see the imbalance over micro-batches."));
        }
        empty_->showContent();
        std::vector<std::vector<Cell>> rows;
        std::int64_t most = 0;
        std::int64_t sum = 0;
        for (std::size_t rank = 0; rank < times.ranks.size(); ++rank) {
            std::int64_t total = 0;
            std::int64_t longest = 0;
            for (int m = 0; m < times.microBatches; ++m) {
                total += times.at(rank, m);
                longest = std::max(longest, times.at(rank, m));
            }
            most = std::max(most, total);
            sum += total;
            rows.push_back({{tr("rank %1").arg(times.ranks[rank]), static_cast<double>(times.ranks[rank])},
                            {times.stages[rank] < 0 ? tr("unknown") : QString::number(times.stages[rank]),
                             static_cast<double>(times.stages[rank])},
                            {durationText(total), static_cast<double>(total)},
                            {durationText(longest), static_cast<double>(longest)},
                            {QString::number(times.imbalance(rank), 'f', 2), times.imbalance(rank)}});
        }
        table_->setFigures({tr("rank"), tr("stage"), tr("all micro-batches"), tr("longest"), tr("longest over mean")},
                           rows);
        const double mean = static_cast<double>(sum) / static_cast<double>(times.ranks.size());
        headline_->setText(tr("<b>Busiest rank: %1, %2 times the mean of %3 ranks</b>")
                               .arg(durationText(most))
                               .arg(mean > 0 ? static_cast<double>(most) / mean : 0.0, 0, 'f', 2)
                               .arg(times.ranks.size()));
        map_->setTimes(times);
    }

    Session& session_;
    QLabel* headline_;
    QComboBox* side_;
    HeatMap* map_;
    FigureTable* table_;
    EmptyState* empty_;
};

}  // namespace

QWidget* makeImbalanceView(Session& session) {
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    const auto add = [tabs](QWidget* panel, const QString& name, const QString& title) {
        panel->setObjectName(name);
        tabs->addTab(panel, title);
    };
    add(new MicroBatchPanel(session), "micro-batches", QObject::tr("Micro-batches"));
    add(makeStragglerPanel(session), "stragglers", QObject::tr("Stragglers"));
    add(makePackingPanel(session), "packing", QObject::tr("Packing policies"));
    add(makeScenarioWhatIf(session), "what-if", QObject::tr("What if"));
    return tabs;
}

}  // namespace orrery::gui
