#include "gui/views/scenario_what_if.hpp"

#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QVBoxLayout>

#include "gui/session/background.hpp"
#include "gui/session/session.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/views.hpp"
#include "model/calibrate/scale_link.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

struct Change {
    int rank = 0;
    double speed = 1.0, length = 1.0;
    std::vector<double> links;  ///< bandwidth of each level against the data sheet
};

Scenario changed(Scenario scenario, const Change& change) {
    auto& speeds = scenario.cluster.deviceSpeed;
    if (change.speed < 1.0) {
        speeds.resize(static_cast<std::size_t>(scenario.cluster.gpus), 1.0);
        speeds[static_cast<std::size_t>(std::clamp(change.rank, 0, scenario.cluster.gpus - 1))] *= change.speed;
    }
    for (std::size_t i = 0; i < change.links.size() && i < scenario.cluster.links.size(); ++i)
        scaleLink(scenario.cluster, scenario.calibration, i, change.links[i]);
    if (change.length == 1.0) return scenario;
    for (auto& replica : scenario.workload.replicas) {
        for (auto& microBatch : replica) {
            for (auto& document : microBatch.documents)
                document = std::max<std::int64_t>(1, std::llround(static_cast<double>(document) * change.length));
        }
    }
    scenario.workload.sequenceLength = std::max<std::int64_t>(
        1, std::llround(static_cast<double>(scenario.workload.sequenceLength) * std::max(1.0, change.length)));
    return scenario;
}

struct Answer {
    StepMetrics before, after;
    Breakdown breakdownBefore, breakdownAfter;
    QString problem;
};

class ScenarioWhatIf : public QWidget {
  public:
    explicit ScenarioWhatIf(Session& session) : session_(session) {
        auto* content = new QWidget;
        auto* column = new QVBoxLayout(content);
        form_ = new QFormLayout;
        form_->setContentsMargins(12, 10, 12, 4);
        column->addLayout(form_);
        result_ = new QLabel;
        result_->setObjectName("result");
        result_->setWordWrap(true);
        result_->setMargin(8);
        column->addWidget(result_);
        table_ = new FigureTable;
        table_->setAccessibleName(tr("The step before and after"));
        column->addWidget(table_, 1);
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
        if (job == nullptr || !job->scenario)
            return empty_->showReason(tr("These sliders work on a scenario: open one (.toml)"));
        empty_->showContent();
        while (form_->rowCount() > 0) form_->removeRow(0);
        links_.clear();
        rank_ = new QSpinBox;
        rank_->setRange(0, job->scenario->cluster.gpus - 1);
        rank_->setAccessibleName(tr("Slow GPU"));
        connect(rank_, &QSpinBox::valueChanged, this, [this] { ask(); });
        form_->addRow(tr("slow GPU: rank"), rank_);
        speed_ = slider("speed", tr("its speed"), 20, 100);
        for (const auto& level : job->scenario->cluster.links)
            links_.push_back(slider(QStringLiteral("link:") + text(level.name),
                                    tr("bandwidth of %1").arg(text(level.name)), 5, 200));
        length_ = slider("length", tr("document lengths"), 10, 400);
        auto* reset = new QPushButton(tr("As in the scenario"));
        connect(reset, &QPushButton::clicked, this, [this] {
            for (auto* each : findChildren<QSlider*>()) each->setValue(100);
        });
        form_->addRow(QString(), reset);
        ask();
    }

    QSlider* slider(const QString& key, const QString& label, int least, int most) {
        auto* made = new QSlider(Qt::Horizontal);
        made->setObjectName(key);
        made->setRange(least, most);
        made->setValue(100);
        made->setAccessibleName(label);
        auto* value = new QLabel(QStringLiteral("100 %"));
        value->setMinimumWidth(46);
        auto* line = new QHBoxLayout;
        line->addWidget(made, 1);
        line->addWidget(value);
        form_->addRow(label, line);
        connect(made, &QSlider::valueChanged, this, [this, value](int percent) {
            value->setText(QStringLiteral("%1 %").arg(percent));
            ask();
        });
        return made;
    }

    void ask() {
        const Job* job = session_.job();
        if (job == nullptr || !job->scenario || length_ == nullptr) return;
        Change change{rank_->value(), speed_->value() / 100.0, length_->value() / 100.0, {}};
        for (const auto* link : links_) change.links.push_back(link->value() / 100.0);
        answers_.ask(
            [scenario = *job->scenario, change](const std::atomic<bool>&) {
                Answer answer;
                try {
                    const Prediction before = predict(scenario);
                    const Prediction after = predict(changed(scenario, change));
                    answer = {before.metrics, after.metrics, before.breakdown, after.breakdown, {}};
                } catch (const std::exception& error) {
                    answer.problem = QString::fromUtf8(error.what());
                }
                return answer;
            },
            [this](const Answer& answer) { take(answer); });
    }

    void take(const Answer& answer) {
        if (!answer.problem.isEmpty()) return result_->setText(answer.problem);
        const double percent = 100.0 * (answer.after.step / answer.before.step - 1.0);
        result_->setText(tr("<b>Step: %1 instead of %2 (%3)</b>")
                             .arg(text(timeText(answer.after.step)), text(timeText(answer.before.step)),
                                  text(percentText(percent))));
        std::vector<std::vector<Cell>> rows;
        const auto time = [](Seconds value, bool sign = false) {
            return Cell(text(timeText(value, sign)), value.value());
        };
        for (const auto& [part, seconds] : answer.breakdownAfter) {
            const auto found = answer.breakdownBefore.find(part);
            const Seconds before = found == answer.breakdownBefore.end() ? Seconds{} : found->second;
            if (before.value() > 0 || seconds.value() > 0)
                rows.push_back({text(part), time(before), time(seconds), time(seconds - before, true)});
        }
        const auto figure = [&](const QString& name, double before, double after) {
            rows.push_back({name,
                            {shareText(before), before},
                            {shareText(after), after},
                            {shareText(after - before), after - before}});
        };
        figure(tr("MFU"), answer.before.mfu, answer.after.mfu);
        figure(tr("bubble fraction"), answer.before.bubbleFraction, answer.after.bubbleFraction);
        table_->setFigures({tr("of the step"), tr("as in the scenario"), tr("with the changes"), tr("difference")},
                           rows);
    }

    Session& session_;
    QFormLayout* form_;
    QSpinBox* rank_ = nullptr;
    QSlider *speed_ = nullptr, *length_ = nullptr;
    std::vector<QSlider*> links_;
    QLabel* result_;
    FigureTable* table_;
    EmptyState* empty_;
    Background answers_;
};

}  // namespace

QWidget* makeScenarioWhatIf(Session& session) {
    return new ScenarioWhatIf(session);
}

}  // namespace orrery::gui
