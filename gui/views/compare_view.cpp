// Where the step's time went: predicted against measured, by phase or operator class, over all ranks or one.
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/session/session.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/views.hpp"
#include "gui/views/waterfall.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

class CompareView : public QWidget {
  public:
    explicit CompareView(Session& session) : session_(session) {
        headline_ = new QLabel;
        headline_->setWordWrap(true);
        headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
        rank_ = new QComboBox;
        rank_->setAccessibleName(tr("Rank"));
        group_ = new QComboBox;
        group_->addItems({tr("by phase"), tr("by operator class")});
        group_->setAccessibleName(tr("Rows"));
        auto* bar = new QHBoxLayout;
        bar->setContentsMargins(12, 8, 12, 4);
        bar->addWidget(headline_, 1);
        bar->addWidget(group_);
        bar->addWidget(rank_);
        waterfall_ = new Waterfall;
        table_ = new FigureTable;
        table_->setAccessibleName(tr("Where the time went"));
        auto* splitter = new QSplitter(Qt::Horizontal);
        splitter->addWidget(waterfall_);
        splitter->addWidget(table_);
        splitter->setSizes({640, 640});
        auto* hint =
            new QLabel(tr("Double click or Enter on a row shows its spans on the timeline. Ctrl+C copies rows."));
        hint->setMargin(6);
        auto* content = new QWidget;
        auto* inner = new QVBoxLayout(content);
        inner->setContentsMargins(0, 0, 0, 0);
        inner->addLayout(bar);
        inner->addWidget(splitter, 1);
        inner->addWidget(hint);
        empty_ = new EmptyState(content);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(empty_);
        connect(&session_, &Session::jobChanged, this, [this] { takeJob(); });
        connect(rank_, &QComboBox::currentIndexChanged, this, [this] { show(); });
        connect(group_, &QComboBox::currentIndexChanged, this, [this] { show(); });
        connect(table_, &QTableWidget::itemActivated, this,
                [this](const QTableWidgetItem* item) { goTo(item->row()); });
        takeJob();
    }

  private:
    void takeJob() {
        const QSignalBlocker quiet(rank_);
        rank_->clear();
        const Job* job = session_.job();
        if (job != nullptr && job->report) {
            rank_->addItem(tr("mean over ranks"));
            for (const auto& table : job->report->comparison.ranks) {
                rank_->addItem(table.stage < 0 ? tr("rank %1").arg(table.rank)
                                               : tr("rank %1 · stage %2").arg(table.rank).arg(table.stage));
            }
        }
        show();
    }

    void show() {
        const Job* job = session_.job();
        if (job == nullptr) return empty_->showReason(tr("Open a recording and its scenario to compare them"));
        if (!job->report && job->prediction) return showPrediction(*job);
        if (!job->report) {
            return empty_->showReason(
                tr("This recording has no steps, so there is no step time to explain. Annotate steps "
                   "(docs/annotations.md) or import a trace with profiler steps."));
        }
        empty_->showContent();
        const Comparison& comparison = job->report->comparison;
        const auto index = static_cast<std::size_t>(std::max(0, rank_->currentIndex()));
        const TimeTable& table = index == 0 ? comparison.overall : comparison.ranks[index - 1];
        const bool both = comparison.hasPrediction;
        headline_->setText(
            both ? tr("<b>Predicted %1, measured %2: %3</b> (median of %4 steps, step %5)")
                       .arg(text(timeText(table.step.predicted)), text(timeText(table.step.measured)),
                            text(percentText(table.step.errorPercent())))
                       .arg(comparison.steps.size())
                       .arg(comparison.medianStep)
                 : tr("<b>Measured %1</b> (median of %2 steps). Open the scenario (.toml) together with the "
                      "recording to hold a prediction against it.")
                       .arg(text(timeText(table.step.measured)))
                       .arg(comparison.steps.size()));
        TimeTable shown = table;
        const bool byClass = group_->currentIndex() == 1;
        if (byClass) shown.phases = table.classes;
        both ? waterfall_->setComparison(shown) : waterfall_->setParts(shown, tr("measured step"));
        fill(shown, both);
    }

    void fill(const TimeTable& table, bool both) {
        std::vector<std::vector<Cell>> rows;
        for (const auto& row : table.phases) {
            std::vector<Cell> cells{Cell(text(row.name))};
            if (both) cells.emplace_back(text(timeText(row.predicted)), row.predicted.value());
            cells.emplace_back(text(timeText(row.measured)), row.measured.value());
            if (both) {
                cells.emplace_back(text(timeText(row.difference(), true)), std::abs(row.difference().value()));
                cells.emplace_back(text(percentText(row.errorPercent())), row.errorPercent());
            } else {
                const double share = table.step.measured.value() > 0 ? row.measured / table.step.measured : 0.0;
                cells.emplace_back(shareText(share), share);
            }
            rows.push_back(std::move(cells));
        }
        const QStringList headers =
            both ? QStringList{tr("where"), tr("predicted"), tr("measured"), tr("difference"), tr("error")}
                 : QStringList{tr("where"), tr("measured"), tr("of the step")};
        table_->setFigures(headers, rows);
    }

    /// Without a recording: where the predicted step goes.
    void showPrediction(const Job& job) {
        empty_->showContent();
        TimeTable table;
        table.step.measured = job.prediction->metrics.step;
        for (const auto& [name, time] : job.prediction->breakdown) table.phases.push_back({name, Seconds{}, time});
        std::stable_sort(table.phases.begin(), table.phases.end(),
                         [](const TimeRow& a, const TimeRow& b) { return a.measured > b.measured; });
        headline_->setText(
            tr("<b>Predicted step: %1</b>. Open a recording together with the scenario to hold it against "
               "what ran.")
                .arg(text(timeText(table.step.measured))));
        waterfall_->setParts(table, tr("predicted step"));
        std::vector<std::vector<Cell>> rows;
        for (const auto& row : table.phases) {
            const double share = row.measured / table.step.measured;
            rows.push_back(
                {text(row.name), {text(timeText(row.measured)), row.measured.value()}, {shareText(share), share}});
        }
        table_->setFigures({tr("where"), tr("predicted"), tr("of the step")}, rows);
    }

    void goTo(int row) {
        const QString what = table_->item(row, 0)->text();
        const bool byClass = group_->currentIndex() == 1 && what != "wait";
        session_.setSearch((byClass ? QStringLiteral("class:") : QStringLiteral("phase:")) + what);
        raiseView(this, "Timeline");
    }

    Session& session_;
    QLabel* headline_;
    QComboBox *rank_, *group_;
    Waterfall* waterfall_;
    FigureTable* table_;
    EmptyState* empty_;
};

}  // namespace

QWidget* makeCompareView(Session& session) {
    return new CompareView(session);
}

}  // namespace orrery::gui
