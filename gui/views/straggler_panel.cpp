#include "gui/views/straggler_panel.hpp"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/session/background.hpp"
#include "gui/session/session.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/heat_map.hpp"
#include "model/replay/what_if.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

/// A slider from 25 % to 200 % of the recorded durations of some ops.
struct Scale {
    QString label;
    std::string target;
    QSlider* slider = nullptr;
    QLabel* value = nullptr;
};

QString factor(double value) {
    return QString::number(value, 'f', 3);
}

class StragglerPanel : public QWidget {
  public:
    explicit StragglerPanel(Session& session) : session_(session) {
        headline_ = new QLabel;
        headline_->setWordWrap(true);
        headline_->setMargin(10);
        headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
        map_ = new HeatMap;
        map_->setAccessibleName(tr("Slowdown by DP rank and stage"));
        auto* area = new QScrollArea;
        area->setWidget(map_);
        area->setWidgetResizable(true);
        area->setFrameShape(QFrame::NoFrame);
        table_ = new FigureTable;
        table_->setAccessibleName(tr("What explains the slowdown"));
        whatIf_ = new QWidget;
        form_ = new QFormLayout(whatIf_);
        auto* upper = new QSplitter(Qt::Horizontal);
        upper->addWidget(area);
        upper->addWidget(whatIf_);
        upper->setSizes({760, 520});
        auto* splitter = new QSplitter(Qt::Vertical);
        splitter->addWidget(upper);
        splitter->addWidget(table_);
        splitter->setSizes({420, 280});
        auto* content = new QWidget;
        auto* inner = new QVBoxLayout(content);
        inner->setContentsMargins(0, 0, 0, 0);
        inner->addWidget(headline_);
        inner->addWidget(splitter, 1);
        empty_ = new EmptyState(content);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(empty_);
        connect(&session_, &Session::jobChanged, this, [this] { takeJob(); });
        takeJob();
    }

  private:
    void takeJob() {
        const Job* job = session_.job();
        replay_ = job == nullptr ? nullptr : job->replay;
        if (replay_ == nullptr) {
            return empty_->showReason(job == nullptr || job->facts.empty()
                                          ? tr("Straggler scores need a measured job: open a recording")
                                          : tr("Stragglers cannot be scored: %1").arg(text(job->noReplay)));
        }
        empty_->showContent();
        const StragglerAnalysis& a = replay_->analysis;
        headline_->setText(tr("<b>%1 times as slow as if all were even</b>: %2 a step without delays, %3 when even (%4 "
                              "as recorded). %5")
                               .arg(factor(a.slowdown), text(timeText(Seconds(a.noDelay))),
                                    text(timeText(Seconds(a.ideal))), text(timeText(Seconds(a.recorded))),
                                    tr("Cause: %1.").arg(text(a.causeText).toHtmlEscaped())));
        showMap(a);
        showTable(a);
        makeSliders(a);
    }

    void showMap(const StragglerAnalysis& a) {
        HeatGrid grid;
        for (std::size_t dp = 0; dp < a.byDpRank.size(); ++dp) grid.rows.push_back(tr("DP rank %1").arg(dp));
        for (std::size_t stage = 0; stage < a.byStage.size(); ++stage) grid.columns.push_back(QString::number(stage));
        grid.corner = tr("stage");
        grid.values.assign(a.byDpRank.size() * a.byStage.size(), 0.0);
        for (const auto& worker : a.byWorker) {
            grid.values[static_cast<std::size_t>(worker.dp) * a.byStage.size() +
                        static_cast<std::size_t>(worker.stage)] = worker.slowdown;
        }
        grid.text = factor;
        map_->setGrid(std::move(grid));
    }

    void showTable(const StragglerAnalysis& a) {
        std::vector<std::vector<Cell>> rows;
        const auto add = [&](const QString& what, const QString& kind, double slowdown) {
            rows.push_back({what, kind, {factor(slowdown), slowdown}, {shareText(slowdown - 1.0), slowdown}});
        };
        for (const auto& [op, slowdown] : a.byOp) add(text(op), tr("operation"), slowdown);
        for (std::size_t s = 0; s < a.byStage.size(); ++s) add(tr("stage %1").arg(s), tr("stage"), a.byStage[s]);
        for (std::size_t d = 0; d < a.byDpRank.size(); ++d) add(tr("DP rank %1").arg(d), tr("DP rank"), a.byDpRank[d]);
        for (const auto& worker : a.byWorker)
            add(tr("DP rank %1, stage %2").arg(worker.dp).arg(worker.stage), tr("worker"), worker.slowdown);
        table_->setFigures({tr("only this as recorded, all else even"), tr("kind"), tr("slowdown"), tr("more time")},
                           rows);
        table_->sortItems(2, Qt::DescendingOrder);
    }

    void makeSliders(const StragglerAnalysis& a) {
        while (form_->rowCount() > 0) form_->removeRow(0);
        scales_.clear();
        form_->addRow(new QLabel(tr("<b>What if</b> durations were another share of the recorded ones?")));
        add(tr("all compute"), "compute");
        add(tr("all communication"), "comm");
        if (!a.byWorker.empty()) {
            const WorkerSlowdown& worst = a.byWorker.front();
            add(tr("slowest worker (DP rank %1, stage %2)").arg(worst.dp).arg(worst.stage),
                "worker:" + std::to_string(worst.dp) + ',' + std::to_string(worst.stage));
        }
        if (a.byStage.size() > 1) add(tr("last stage"), "stage:" + std::to_string(a.byStage.size() - 1));
        even_ = new QComboBox;
        even_->setObjectName("even");
        even_->setAccessibleName(tr("What is evened out"));
        even_->addItem(tr("nothing"), QString());
        even_->addItem(tr("compute"), "compute");
        even_->addItem(tr("communication"), "comm");
        for (std::size_t s = 0; s < a.byStage.size(); ++s)
            even_->addItem(tr("stage %1").arg(s), QStringLiteral("stage:%1").arg(s));
        for (std::size_t d = 0; d < a.byDpRank.size(); ++d)
            even_->addItem(tr("DP rank %1").arg(d), QStringLiteral("rank:%1").arg(d));
        even_->addItem(tr("everything"), "all");
        form_->addRow(tr("even out"), even_);
        connect(even_, &QComboBox::currentIndexChanged, this, [this] { ask(); });
        auto* reset = new QPushButton(tr("As recorded"));
        connect(reset, &QPushButton::clicked, this, [this] {
            for (const auto& scale : scales_) scale.slider->setValue(100);
            even_->setCurrentIndex(0);
        });
        result_ = new QLabel;
        result_->setObjectName("whatIf");
        result_->setWordWrap(true);
        form_->addRow(reset, result_);
        ask();
    }

    void add(const QString& label, const std::string& target) {
        Scale scale{label, target, new QSlider(Qt::Horizontal), new QLabel(QStringLiteral("100 %"))};
        scale.slider->setObjectName(text(target));
        scale.slider->setRange(25, 200);
        scale.slider->setValue(100);
        scale.slider->setAccessibleName(label);
        scale.value->setMinimumWidth(46);
        auto* line = new QHBoxLayout;
        line->addWidget(scale.slider, 1);
        line->addWidget(scale.value);
        form_->addRow(label, line);
        connect(scale.slider, &QSlider::valueChanged, this, [this, value = scale.value](int percent) {
            value->setText(QStringLiteral("%1 %").arg(percent));
            ask();
        });
        scales_.push_back(scale);
    }

    void ask() {
        std::vector<std::pair<std::string, double>> factors;
        for (const auto& scale : scales_) {
            if (scale.slider->value() != 100) factors.emplace_back(scale.target, scale.slider->value() / 100.0);
        }
        const std::string even = even_->currentData().toString().toStdString();
        answers_.ask(
            [replay = replay_, factors, even](const std::atomic<bool>&) {
                const ReplayGraph& graph = replay->graph;
                auto durations = graph.recorded();
                if (!even.empty())
                    durations =
                        replaced(graph, std::move(durations), parseWhatIfTarget(even, graph), evenDurations(graph));
                for (const auto& [target, by] : factors)
                    durations = scaled(graph, std::move(durations), parseWhatIfTarget(target, graph), by);
                return meanStep(graph.simulate(durations));
            },
            [this](double step) {
                const double before = replay_->analysis.noDelay;
                const double percent = before > 0.0 ? 100.0 * (step / before - 1.0) : 0.0;
                result_->setText(tr("<b>%1 a step</b>, %2 of %3 without delays")
                                     .arg(text(timeText(Seconds(step))), text(percentText(percent)),
                                          text(timeText(Seconds(before)))));
            });
    }

    Session& session_;
    std::shared_ptr<const Replay> replay_;
    QLabel *headline_, *result_ = nullptr;
    HeatMap* map_;
    FigureTable* table_;
    QWidget* whatIf_;
    QFormLayout* form_;
    QComboBox* even_ = nullptr;
    std::vector<Scale> scales_;
    EmptyState* empty_;
    Background answers_;
};

}  // namespace

QWidget* makeStragglerPanel(Session& session) {
    return new StragglerPanel(session);
}

}  // namespace orrery::gui
