#include "gui/views/search_panel.hpp"

#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLegend>
#include <QLineEdit>
#include <QLineSeries>
#include <QProgressBar>
#include <QPushButton>
#include <QScatterSeries>
#include <QSplitter>
#include <QVBoxLayout>
#include <QValueAxis>
#include <algorithm>

#include "data/scenario/complete_scenario.hpp"
#include "gui/session/background.hpp"
#include "gui/style/palette.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/chart_parts.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/plan_text.hpp"
#include "model/search/search_around.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

constexpr int kTop = 500;
constexpr double kGiB = 1073741824.0;

struct Answer {
    SearchResult result;
    std::string problem;
    int gpus = 0;
};

class PlanSearch : public SearchPanel {
  public:
    PlanSearch() {
        start_ = new QPushButton(tr("Search all plans"));
        start_->setObjectName("search");
        start_->setToolTip(tr("Every legal plan for the model, cluster and workload of the fields, by predicted step"));
        connect(start_, &QPushButton::clicked, this, [this] { start(); });
        stop_ = new QPushButton(tr("Stop"));
        stop_->setEnabled(false);
        connect(stop_, &QPushButton::clicked, this, [this] { answers_.stop(); });
        progress_ = new QProgressBar;
        progress_->setMaximumWidth(160);
        progress_->setAccessibleName(tr("Plans looked at"));
        progress_->hide();
        status_ = new QLabel(tr("Finds the fastest plans of this job, and those that need least memory."));
        status_->setObjectName("searchStatus");
        status_->setWordWrap(true);
        filter_ = new QLineEdit;
        filter_->setObjectName("planFilter");
        filter_->setPlaceholderText(tr("Filter: tp8 interleaved zero1 …"));
        filter_->setAccessibleName(tr("Filter plans"));
        filter_->setClearButtonEnabled(true);
        which_ = new QComboBox;
        which_->setAccessibleName(tr("Which plans"));
        which_->addItems({tr("all found"), tr("Pareto front only")});
        connect(filter_, &QLineEdit::textChanged, this, [this] { show(); });
        connect(which_, &QComboBox::currentIndexChanged, this, [this] { show(); });
        auto* bar = new QHBoxLayout;
        bar->setContentsMargins(8, 6, 8, 2);
        bar->addWidget(start_);
        bar->addWidget(stop_);
        bar->addWidget(progress_);
        bar->addWidget(status_, 1);
        bar->addWidget(which_);
        bar->addWidget(filter_);
        table_ = new FigureTable;
        table_->setObjectName("plans");
        table_->setAccessibleName(tr("Plans"));
        table_->setToolTip(tr("Double click takes a plan into the fields"));
        connect(table_, &QTableWidget::itemActivated, this,
                [this](const QTableWidgetItem* item) { choose(item->row()); });
        chart_ = newChartView(tr("Step time against memory"));
        auto* splitter = new QSplitter(Qt::Horizontal);
        splitter->addWidget(table_);
        splitter->addWidget(chart_);
        splitter->setSizes({720, 340});
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addLayout(bar);
        layout->addWidget(splitter, 1);
        show();
    }

  private:
    void start() {
        std::shared_ptr<const SearchProblem> problem;
        Answer answer;
        try {
            Scenario around = scenario();
            static_cast<void>(completeScenario(around));
            problem = std::make_shared<const SearchProblem>(searchAround(around));
            answer.gpus = around.cluster.gpus;
        } catch (const std::exception& error) {
            return status_->setText(QString::fromUtf8(error.what()));
        }
        start_->setEnabled(false);
        stop_->setEnabled(true);
        progress_->setRange(0, 0);
        progress_->show();
        status_->setText(tr("Looking at plans …"));
        answers_.ask(
            [this, problem, gpus = answer.gpus](const std::atomic<bool>& stop) {
                Answer found{{}, {}, gpus};
                SearchOptions options;
                options.top = kTop;
                options.stop = &stop;
                options.progress = [this](const SearchProgress& at) {
                    QMetaObject::invokeMethod(
                        this, [this, at] { showProgress(at); }, Qt::QueuedConnection);
                };
                try {
                    found.result = search(*problem, options);
                } catch (const std::exception& error) {
                    found.problem = error.what();
                }
                return found;
            },
            [this](const Answer& answer) { take(answer); });
    }

    void showProgress(const SearchProgress& at) {
        progress_->setRange(0, 1000);
        progress_->setValue(static_cast<int>(1000 * at.done / std::max<std::int64_t>(1, at.all)));
        if (answers_.busy())
            status_->setText(at.best > 0
                                 ? tr("%1 of %2 plans, best %3")
                                       .arg(countText(at.done), countText(at.all), text(timeText(Seconds(at.best))))
                                 : tr("%1 of %2 plans").arg(countText(at.done), countText(at.all)));
    }

    void take(const Answer& answer) {
        start_->setEnabled(true);
        stop_->setEnabled(false);
        progress_->hide();
        answer_ = answer;
        if (!answer.problem.empty()) return status_->setText(text(answer.problem));
        const SearchResult& r = answer.result;
        QString note = tr("%1 legal plans, %2 fit").arg(countText(r.evaluated), countText(r.feasible));
        if (r.interrupted) note = tr("Stopped. ") + note;
        if (r.reference)
            note += tr("; %1 are faster than the plan in the fields").arg(countText(r.betterThanReference));
        status_->setText(note);
        show();
    }

    [[nodiscard]] bool shown(const RankedPlan& plan) const {
        const QString words = planText(plan.plan) + QStringLiteral(" mb%1").arg(plan.microBatch);
        for (const auto& word : filter_->text().split(' ', Qt::SkipEmptyParts)) {
            if (!words.contains(word, Qt::CaseInsensitive)) return false;
        }
        return true;
    }

    void show() {
        rows_.clear();
        for (const auto& plan : which_->currentIndex() == 1 ? answer_.result.front : answer_.result.best) {
            if (shown(plan)) rows_.push_back(plan);
        }
        if (answer_.result.best.empty()) {
            table_->setFigures({tr("Plans appear here, fastest first")}, {});
        } else {
            std::vector<std::vector<Cell>> rows;
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                const StepMetrics& m = rows_[i].prediction.metrics;
                const auto perDay = m.tokensPerSecondPerGpu * answer_.gpus;
                rows.push_back({{QString::number(i + 1), static_cast<double>(i)},
                                planText(rows_[i].plan),
                                {QString::number(rows_[i].microBatch), static_cast<double>(rows_[i].microBatch)},
                                {text(timeText(m.step)), m.step.value()},
                                {countText(std::llround(perDay)), perDay},
                                {shareText(m.mfu), m.mfu},
                                {shareText(m.bubbleFraction), m.bubbleFraction},
                                {bytesText(m.peakMemory), m.peakMemory.value()}});
            }
            table_->setFigures({tr("#"), tr("plan"), tr("micro-batch"), tr("step"), tr("tokens/s"), tr("MFU"),
                                tr("bubble"), tr("memory")},
                               rows);
        }
        showChart();
    }

    void showChart() {
        QChart& chart = *chart_->chart();
        clearChart(chart);
        chart.setTitle(answer_.result.best.empty() ? tr("Step time against memory: nothing searched yet")
                                                   : tr("Step time against memory of a device"));
        if (answer_.result.best.empty()) return dressChart(chart, *this);
        auto* points = new QScatterSeries;
        points->setName(tr("plans"));
        points->setMarkerSize(6);
        points->setColor(seriesColour(4));
        points->setBorderColor(Qt::transparent);
        double slow = 0.0, fast = 1e300, most = 0.0, least = 1e300;
        const auto at = [&](const RankedPlan& plan) {
            const QPointF point(plan.prediction.metrics.peakMemory.value() / kGiB,
                                plan.prediction.metrics.step.value());
            slow = std::max(slow, point.y()), fast = std::min(fast, point.y());
            most = std::max(most, point.x()), least = std::min(least, point.x());
            return point;
        };
        for (const auto& plan : rows_) points->append(at(plan));
        auto* front = new QLineSeries;
        front->setName(tr("Pareto front"));
        front->setPen(QPen(seriesColour(5), 2));
        front->setPointsVisible(true);
        for (const auto& plan : answer_.result.front) front->append(at(plan));
        QScatterSeries* own = nullptr;
        if (answer_.result.reference && !answer_.result.reference->prediction.isBound) {
            own = new QScatterSeries;
            own->setName(tr("plan in the fields"));
            own->setMarkerShape(QScatterSeries::MarkerShapeRectangle);
            own->setMarkerSize(11);
            own->setColor(seriesColour(2));
            own->append(at(*answer_.result.reference));
        }
        auto* across = new QValueAxis;
        across->setTitleText(tr("GiB a device"));
        auto* up = new QValueAxis;
        up->setTitleText(tr("step, s"));
        chart.addAxis(across, Qt::AlignBottom);
        chart.addAxis(up, Qt::AlignLeft);
        for (QXYSeries* series :
             {static_cast<QXYSeries*>(points), static_cast<QXYSeries*>(front), static_cast<QXYSeries*>(own)}) {
            if (series == nullptr) continue;
            chart.addSeries(series);
            series->attachAxis(across);
            series->attachAxis(up);
        }
        const double roomX = std::max(0.5, (most - least) * 0.06), roomY = std::max(slow * 0.02, (slow - fast) * 0.06);
        across->setRange(std::max(0.0, least - roomX), most + roomX);
        up->setRange(std::max(0.0, fast - roomY), slow + roomY);
        across->applyNiceNumbers();
        up->applyNiceNumbers();
        across->setLabelFormat("%.0f");
        dressChart(chart, *this);
    }

    void choose(int row) {
        bool known = false;
        const int rank = table_->item(row, 0)->text().toInt(&known) - 1;
        if (known && onChosen && rank < static_cast<int>(rows_.size()))
            onChosen(rows_[static_cast<std::size_t>(rank)].plan, rows_[static_cast<std::size_t>(rank)].microBatch);
    }

    QPushButton *start_, *stop_;
    QProgressBar* progress_;
    QLabel* status_;
    QLineEdit* filter_;
    QComboBox* which_;
    FigureTable* table_;
    QChartView* chart_;
    Answer answer_;
    std::vector<RankedPlan> rows_;
    Background answers_;
};

}  // namespace

SearchPanel* makeSearchPanel() {
    return new PlanSearch;
}

}  // namespace orrery::gui
