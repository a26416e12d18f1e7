// Plan explorer: fields at the left, and what the step would cost at the right, predicted in the background as they
// change. Plans can be pinned to be compared.
#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <fmt/format.h>

#include "data/scenario/complete_scenario.hpp"
#include "gui/session/background.hpp"
#include "gui/session/session.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/memory_chart.hpp"
#include "gui/views/plan_form.hpp"
#include "gui/views/plan_text.hpp"
#include "gui/views/search_panel.hpp"
#include "gui/views/views.hpp"
#include "gui/views/waterfall.hpp"
#include "model/units/input_error.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

struct Answer {
    Scenario scenario;
    Prediction prediction;
    QString problem;
    double milliseconds = 0.0;
};

Answer answerTo(Scenario scenario) {
    QElapsedTimer timer;
    timer.start();
    Answer answer;
    try {
        const std::string calibration = completeScenario(scenario);
        scenario.calibration.name = calibration;
        answer.prediction = predict(scenario);
    } catch (const std::exception& error) {
        answer.problem = QString::fromUtf8(error.what());
    }
    answer.scenario = std::move(scenario);
    answer.milliseconds = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    return answer;
}

std::vector<std::vector<Cell>> figuresOf(const StepMetrics& m) {
    return {{QObject::tr("step"),
             {text(timeText(m.step)) + QStringLiteral(" ± ") + shareText(m.relativeSigma), m.step.value()}},
            {QObject::tr("tokens/s/GPU"), {countText(std::llround(m.tokensPerSecondPerGpu)), m.tokensPerSecondPerGpu}},
            {QObject::tr("model TFLOP/s/GPU"), {QString::number(m.modelTflopsPerGpu, 'g', 4), m.modelTflopsPerGpu}},
            {QObject::tr("MFU"), {shareText(m.mfu), m.mfu}},
            {QObject::tr("bubble"), {shareText(m.bubbleFraction), m.bubbleFraction}},
            {QObject::tr("exposed communication"), {shareText(m.exposedCommFraction), m.exposedCommFraction}},
            {QObject::tr("imbalance"), {QString::number(m.imbalance, 'f', 3), m.imbalance}},
            {QObject::tr("peak memory"), {bytesText(m.peakMemory), m.peakMemory.value()}}};
}

class PlanView : public QWidget {
  public:
    explicit PlanView(Session& session) : session_(session) {
        form_ = new PlanForm;
        form_->onChange = [this] { delay_.start(); };
        delay_.setSingleShot(true);
        delay_.setInterval(15);
        connect(&delay_, &QTimer::timeout, this, [this] { ask(); });
        connect(&session_, &Session::jobChanged, this, [this] {
            if (session_.job() != nullptr && session_.job()->scenario && !session_.job()->files.empty()) {
                form_->setScenario(*session_.job()->scenario);
                ask();
            }
        });
        build();
        ask();
    }

  private:
    void build() {
        auto* area = new QScrollArea;
        area->setWidget(form_);
        area->setWidgetResizable(true);
        area->setFrameShape(QFrame::NoFrame);
        area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        area->setMinimumWidth(330);
        status_ = new QLabel;
        status_->setWordWrap(true);
        status_->setMargin(8);
        status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
        figures_ = new FigureTable;
        figures_->setObjectName("figures");
        figures_->setAccessibleName(tr("Predicted figures"));
        breakdown_ = new Waterfall;
        memory_ = new MemoryChart;
        pinned_ = new FigureTable;
        pinned_->setAccessibleName(tr("Pinned plans"));
        auto* buttons = new QHBoxLayout;
        buttons->setContentsMargins(8, 0, 8, 0);
        const auto button = [&](const QString& name, auto action) {
            auto* made = new QPushButton(name);
            connect(made, &QPushButton::clicked, this, action);
            buttons->addWidget(made);
        };
        buttons->addWidget(status_, 1);
        button(tr("Pin this plan"), [this] { pin(); });
        button(tr("Show its timeline"), [this] {
            guarded([this] {
                session_.show(form_->scenario());
                raiseView(this, "Timeline");
            });
        });
        button(tr("Copy as scenario"),
               [this] { guarded([this] { QApplication::clipboard()->setText(form_->toml()); }); });
        button(tr("Copy Megatron flags"),
               [this] { guarded([this] { QApplication::clipboard()->setText(form_->megatronFlags()); }); });
        auto* upper = new QSplitter(Qt::Horizontal);
        upper->addWidget(figures_);
        upper->addWidget(breakdown_);
        upper->setSizes({360, 560});
        auto* lower = new QSplitter(Qt::Horizontal);
        lower->addWidget(memory_);
        lower->addWidget(pinned_);
        lower->setSizes({500, 420});
        showPins();
        auto* right = new QSplitter(Qt::Vertical);
        right->addWidget(upper);
        right->addWidget(lower);
        right->setSizes({360, 400});
        auto* results = new QWidget;
        auto* column = new QVBoxLayout(results);
        column->setContentsMargins(0, 4, 0, 0);
        column->addLayout(buttons);
        search_ = makeSearchPanel();
        search_->scenario = [this] { return form_->scenario(); };
        search_->onChosen = [this](const ParallelPlan& plan, int microBatch) {
            form_->setPlan(plan, microBatch);
            tabs_->setCurrentIndex(0);
            ask();
        };
        tabs_ = new QTabWidget;
        tabs_->setObjectName("planTabs");
        tabs_->setDocumentMode(true);
        tabs_->addTab(right, tr("This plan"));
        tabs_->addTab(search_, tr("Search"));
        column->addWidget(tabs_, 1);
        auto* both = new QSplitter(Qt::Horizontal);
        both->addWidget(area);
        both->addWidget(results);
        both->setStretchFactor(1, 1);
        both->setSizes({340, 1060});
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(both);
    }

    template <typename Action>
    void guarded(Action action) {
        try {
            action();
        } catch (const InputError& error) {
            status_->setText(QString::fromUtf8(error.what()));
        }
    }

    /// Predicts what the fields say now; answers to earlier questions are dropped.
    void ask() {
        guarded([this] {
            answers_.ask([scenario = form_->scenario()](const std::atomic<bool>&) { return answerTo(scenario); },
                         [this](const Answer& answer) { take(answer); });
        });
    }

    void take(const Answer& answer) {
        if (!answer.problem.isEmpty()) return status_->setText(answer.problem);
        last_ = answer;
        const StepMetrics& metrics = answer.prediction.metrics;
        const Bytes capacity = answer.scenario.cluster.gpu.memory;
        const bool fits = metrics.peakMemory <= capacity;
        status_->setText(tr("<b>%1: %2</b> (predicted in %3 ms)%4%5")
                             .arg(text(answer.scenario.name).toHtmlEscaped(), text(timeText(metrics.step)))
                             .arg(answer.milliseconds, 0, 'f', 1)
                             .arg(fits ? QString()
                                       : tr(" · <b>needs %1, the device has %2</b>")
                                             .arg(bytesText(metrics.peakMemory), bytesText(capacity)),
                                  answer.prediction.warnings.empty()
                                      ? QString()
                                      : tr(" · %1").arg(text(answer.prediction.warnings.front()).toHtmlEscaped())));
        figures_->setFigures({tr("figure"), tr("predicted")}, figuresOf(metrics));
        TimeTable table;
        table.step.measured = metrics.step;
        for (const auto& [part, time] : answer.prediction.breakdown) table.phases.push_back({part, Seconds{}, time});
        std::stable_sort(table.phases.begin(), table.phases.end(),
                         [](const TimeRow& a, const TimeRow& b) { return a.measured > b.measured; });
        breakdown_->setParts(table, tr("step"));
        memory_->setStages(answer.prediction.stages, capacity);
    }

    void pin() {
        if (last_.prediction.stages.empty()) return;
        const StepMetrics& m = last_.prediction.metrics;
        pins_.push_back(
            {planText(last_.scenario.plan),
             {QString::number(last_.scenario.cluster.gpus), static_cast<double>(last_.scenario.cluster.gpus)},
             {text(timeText(m.step)), m.step.value()},
             {countText(std::llround(m.tokensPerSecondPerGpu)), m.tokensPerSecondPerGpu},
             {shareText(m.mfu), m.mfu},
             {shareText(m.bubbleFraction), m.bubbleFraction},
             {bytesText(m.peakMemory), m.peakMemory.value()}});
        showPins();
    }

    void showPins() {
        if (pins_.empty()) return pinned_->setFigures({tr("Pinned plans appear here, to be compared")}, {});
        pinned_->setFigures(
            {tr("plan"), tr("GPUs"), tr("step"), tr("tokens/s/GPU"), tr("MFU"), tr("bubble"), tr("memory")}, pins_);
    }

    Session& session_;
    QTimer delay_;
    Answer last_;
    std::vector<std::vector<Cell>> pins_;
    PlanForm* form_;
    QTabWidget* tabs_;
    QLabel* status_;
    FigureTable *figures_, *pinned_;
    Waterfall* breakdown_;
    MemoryChart* memory_;
    SearchPanel* search_;
    Background answers_;
};

}  // namespace

QWidget* makePlanView(Session& session) {
    return new PlanView(session);
}

}  // namespace orrery::gui
