#include "gui/views/packing_panel.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/session/background.hpp"
#include "gui/session/session.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/heat_map.hpp"
#include "model/imbalance/packing_score.hpp"
#include "model/packing/global_batches.hpp"
#include "model/packing/named_lengths.hpp"
#include "model/packing/policies.hpp"
#include "model/units/input_error.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

struct Judged {
    const PackingPolicy* policy = nullptr;
    Packing packing;
    PackingScore score;
    std::string problem;  ///< the policy cannot be used on this plan
};

struct Answer {
    PackCost cost;
    std::vector<Judged> policies;
    std::size_t documents = 0;
    std::string problem;
};

Answer judgeAll(const Scenario& scenario, const NamedLengths* lengths, int steps, const std::atomic<bool>& stop) {
    Answer answer;
    try {
        const CostModel cost = costModelOf(scenario);
        const PackingProblem problem = packingProblem(scenario, cost);
        answer.cost = problem.cost;
        std::vector<std::int64_t> documents;
        if (lengths != nullptr) {
            documents = drawLengths(*lengths, problem.tokensPerStep() * steps, problem.seed);
        } else {
            for (int step = 0; step < steps; ++step) {
                for (const auto& replica : scenario.workload.replicas) {
                    for (const auto& pack : replica)
                        documents.insert(documents.end(), pack.documents.begin(), pack.documents.end());
                }
            }
        }
        answer.documents = documents.size();
        const GlobalBatches batches = inGlobalBatches(documents, problem.tokensPerStep());
        for (const PackingPolicy& policy : packingPolicies()) {
            if (stop) break;
            Judged judged{&policy, {}, {}, {}};
            try {
                judged.packing = policy.pack(batches, problem);
                judged.score = scoreOf(judged.packing, problem.contextLength, scenario.model, scenario.plan, cost);
            } catch (const InputError& error) {
                judged.problem = error.what();
            }
            answer.policies.push_back(std::move(judged));
        }
    } catch (const std::exception& error) {
        answer.problem = error.what();
    }
    return answer;
}

class PackingPanel : public QWidget {
  public:
    explicit PackingPanel(Session& session) : session_(session) {
        lengths_ = new QComboBox;
        lengths_->setObjectName("lengths");
        lengths_->setAccessibleName(tr("Document lengths"));
        lengths_->addItem(tr("documents of the scenario"));
        for (const NamedLengths& named : namedLengths()) lengths_->addItem(text(named.name));
        steps_ = new QSpinBox;
        steps_->setRange(1, 64);
        steps_->setValue(8);
        steps_->setAccessibleName(tr("Steps"));
        status_ = new QLabel;
        status_->setWordWrap(true);
        auto* bar = new QHBoxLayout;
        bar->setContentsMargins(12, 8, 12, 4);
        bar->addWidget(status_, 1);
        bar->addWidget(new QLabel(tr("lengths")));
        bar->addWidget(lengths_);
        bar->addWidget(new QLabel(tr("steps")));
        bar->addWidget(steps_);
        table_ = new FigureTable;
        table_->setObjectName("policies");
        table_->setAccessibleName(tr("Packing policies"));
        map_ = new HeatMap;
        map_->setAccessibleName(tr("Cost of each pack under the chosen policy"));
        caption_ = new QLabel;
        caption_->setMargin(8);
        auto* area = new QScrollArea;
        area->setWidget(map_);
        area->setWidgetResizable(true);
        area->setFrameShape(QFrame::NoFrame);
        auto* lower = new QWidget;
        auto* lowerLayout = new QVBoxLayout(lower);
        lowerLayout->setContentsMargins(0, 0, 0, 0);
        lowerLayout->addWidget(caption_);
        lowerLayout->addWidget(area, 1);
        auto* splitter = new QSplitter(Qt::Vertical);
        splitter->addWidget(table_);
        splitter->addWidget(lower);
        splitter->setSizes({280, 400});
        auto* content = new QWidget;
        auto* inner = new QVBoxLayout(content);
        inner->setContentsMargins(0, 0, 0, 0);
        inner->addLayout(bar);
        inner->addWidget(splitter, 1);
        empty_ = new EmptyState(content);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(empty_);
        connect(&session_, &Session::jobChanged, this, [this] { stale_ = true, takeJob(); });
        connect(lengths_, &QComboBox::currentIndexChanged, this, [this] { stale_ = true, takeJob(); });
        connect(steps_, &QSpinBox::valueChanged, this, [this] { stale_ = true, takeJob(); });
        connect(table_, &QTableWidget::itemSelectionChanged, this, [this] { showPacks(); });
        takeJob();
    }

  protected:
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        takeJob();
    }

  private:
    void takeJob() {
        const Job* job = session_.job();
        if (job == nullptr || !job->scenario)
            return empty_->showReason(
                tr("Packing is judged on a scenario: open one (.toml), alone or with a recording"));
        empty_->showContent();
        if (!isVisible() || !stale_) return;  // not before somebody looks
        stale_ = false;
        status_->setText(tr("Packing and predicting …"));
        const NamedLengths* lengths =
            lengths_->currentIndex() == 0 ? nullptr : findNamedLengths(lengths_->currentText().toStdString());
        answers_.ask([scenario = *job->scenario, lengths, steps = steps_->value()](
                         const std::atomic<bool>& stop) { return judgeAll(scenario, lengths, steps, stop); },
                     [this](const Answer& answer) { take(answer); });
    }

    void take(const Answer& answer) {
        answer_ = answer;
        if (!answer.problem.empty()) return status_->setText(text(answer.problem));
        std::vector<std::vector<Cell>> rows;
        const Judged* fastest = nullptr;
        for (const Judged& judged : answer.policies) {
            const PackingScore& score = judged.score;
            if (!judged.problem.empty() || score.steps == 0) {
                rows.push_back(
                    {text(judged.policy->name), judged.problem.empty() ? tr("no step is full") : tr("not here")});
                continue;
            }
            if (fastest == nullptr || score.tokensPerSecond > fastest->score.tokensPerSecond) fastest = &judged;
            const auto ratio = [](double value) { return Cell(QString::number(value, 'f', 3), value); };
            const auto cost = [&](const char* source) {
                const Seconds lost = score.cost.at(source);
                return Cell(text(timeText(lost)), lost.value());
            };
            const double padding =
                static_cast<double>(score.padding) / static_cast<double>(score.tokens + score.padding);
            const double late =
                judged.packing.delayedTokenSteps / static_cast<double>(std::max<std::int64_t>(1, score.tokens));
            rows.push_back({text(judged.policy->name),
                            {text(timeText(score.step)), score.step.value()},
                            {countText(std::llround(score.tokensPerSecond)), score.tokensPerSecond},
                            {shareText(score.bubbleFraction), score.bubbleFraction},
                            ratio(score.dp),
                            ratio(score.microBatches),
                            ratio(score.stages),
                            ratio(score.cpPerSequence),
                            cost("dp"),
                            cost("micro_batches"),
                            cost("cp"),
                            {shareText(padding), padding},
                            {countText(judged.packing.truncated), static_cast<double>(judged.packing.truncated)},
                            {QString::number(late, 'f', 2), late},
                            {bytesText(score.peakMemory), score.peakMemory.value()}});
        }
        table_->setFigures({tr("policy"), tr("step"), tr("tokens/s"), tr("bubble"), tr("DP"), tr("micro-batch"),
                            tr("stage"), tr("CP"), tr("DP costs"), tr("micro-batches cost"), tr("CP costs"),
                            tr("padding"), tr("tokens dropped"), tr("steps late"), tr("memory")},
                           rows);
        status_->setText(fastest == nullptr ? tr("No policy fills a step: ask for more steps")
                                            : tr("<b>%1 trains most tokens a second</b> (%2 documents; imbalances are "
                                                 "largest over mean)")
                                                  .arg(text(fastest->policy->name))
                                                  .arg(answer.documents));
        if (fastest != nullptr) {
            for (int row = 0; row < table_->rowCount(); ++row) {
                if (table_->item(row, 0)->text() == text(fastest->policy->name)) table_->selectRow(row);
            }
        }
        showPacks();
    }

    /// Cost of each pack of the first step of the policy that is selected.
    void showPacks() {
        const int row = table_->currentRow();
        const QString name = row < 0 || table_->item(row, 0) == nullptr ? QString() : table_->item(row, 0)->text();
        for (const Judged& judged : answer_.policies) {
            if (text(judged.policy->name) != name) continue;
            HeatGrid grid;
            grid.corner = tr("micro-batch");
            grid.text = [](double seconds) { return text(timeText(Seconds(seconds))); };
            std::size_t most = 0;
            const auto* step = judged.packing.steps.empty() ? nullptr : &judged.packing.steps.front();
            if (step == nullptr) break;
            for (const auto& replica : step->replicas) most = std::max(most, replica.size());
            for (std::size_t m = 0; m < most; ++m) grid.columns.push_back(QString::number(m));
            for (std::size_t r = 0; r < step->replicas.size(); ++r) {
                grid.rows.push_back(tr("replica %1").arg(r));
                for (std::size_t m = 0; m < most; ++m)
                    grid.values.push_back(m < step->replicas[r].size() ? answer_.cost.of(step->replicas[r][m].computed)
                                                                       : 0.0);
            }
            caption_->setText(tr("<b>%1</b>: %2 (%3). Time of each pack of its first step on the busiest stage:")
                                  .arg(name, text(judged.policy->summary).toHtmlEscaped(),
                                       text(judged.policy->source).toHtmlEscaped()));
            caption_->setWordWrap(true);
            map_->setGrid(std::move(grid));
            return;
        }
        caption_->setText(tr("Select a policy to see its packs"));
        map_->setGrid({});
    }

    Session& session_;
    QComboBox* lengths_;
    QSpinBox* steps_;
    QLabel *status_, *caption_;
    FigureTable* table_;
    HeatMap* map_;
    EmptyState* empty_;
    Answer answer_;
    bool stale_ = true;
    Background answers_;
};

}  // namespace

QWidget* makePackingPanel(Session& session) {
    return new PackingPanel(session);
}

}  // namespace orrery::gui
