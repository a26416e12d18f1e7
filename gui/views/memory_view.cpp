// Memory: predicted peak per stage against what the device has.
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/session/session.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/memory_chart.hpp"
#include "gui/views/views.hpp"

namespace orrery::gui {
namespace {

class MemoryView : public QWidget {
  public:
    explicit MemoryView(Session& session) : session_(session) {
        headline_ = new QLabel;
        headline_->setMargin(10);
        headline_->setWordWrap(true);
        chart_ = new MemoryChart;
        table_ = new FigureTable;
        table_->setAccessibleName(tr("Memory per stage"));
        auto* splitter = new QSplitter(Qt::Vertical);
        splitter->addWidget(chart_);
        splitter->addWidget(table_);
        splitter->setSizes({520, 220});
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
        if (job == nullptr || !job->prediction) {
            return empty_->showReason(
                tr("Memory is predicted from a scenario. Open a scenario (.toml), alone or with a "
                   "recording, to see weights, gradients, optimizer states and activations per stage."));
        }
        empty_->showContent();
        const Bytes capacity = job->scenario->cluster.gpu.memory;
        const auto& stages = job->prediction->stages;
        chart_->setStages(stages, capacity);
        const StagePrediction* fullest = &stages.front();
        std::vector<std::vector<Cell>> rows;
        const auto cell = [](Bytes bytes) { return Cell(bytesText(bytes), bytes.value()); };
        for (const auto& stage : stages) {
            const MemoryUse& use = stage.memory;
            if (use.total() > fullest->memory.total()) fullest = &stage;
            rows.push_back({{QString::number(stage.stage), static_cast<double>(stage.stage)},
                            cell(use.weights),
                            cell(use.gradients),
                            cell(use.optimizer),
                            cell(use.activations),
                            cell(use.buffers),
                            cell(use.total()),
                            {shareText(use.total() / capacity), use.total() / capacity},
                            {QString::number(stage.peakInFlight), static_cast<double>(stage.peakInFlight)}});
        }
        table_->setFigures({tr("stage"), tr("weights"), tr("gradients"), tr("optimizer"), tr("activations"),
                            tr("buffers"), tr("total"), tr("of the device"), tr("micro-batches in flight")},
                           rows);
        const bool fits = fullest->memory.total() <= capacity;
        headline_->setText(tr("<b>Stage %1 is the fullest: %2 of %3 (%4)</b>%5")
                               .arg(fullest->stage)
                               .arg(bytesText(fullest->memory.total()), bytesText(capacity),
                                    text(job->scenario->cluster.gpu.name),
                                    fits ? QString() : tr(". <b>It does not fit.</b>")));
    }

    Session& session_;
    QLabel* headline_;
    MemoryChart* chart_;
    FigureTable* table_;
    EmptyState* empty_;
};

}  // namespace

QWidget* makeMemoryView(Session& session) {
    return new MemoryView(session);
}

}  // namespace orrery::gui
