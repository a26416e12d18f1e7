#include "gui/session/session.hpp"

#include <QMetaObject>

#include "model/units/input_error.hpp"

namespace orrery::gui {

std::vector<std::filesystem::path> pathsOf(const QStringList& files) {
    std::vector<std::filesystem::path> paths;
    for (const auto& file : files) paths.emplace_back(file.toStdString());
    return paths;
}

Session::Session(QObject* parent) : QObject(parent) {
    pool_.setMaxThreadCount(2);
}

Session::~Session() {
    if (cancelled_) cancelled_->store(true);
    pool_.waitForDone();
}

const TimelineSide& Session::side(Side which) const {
    static const TimelineSide kNone;
    if (!job_) return kNone;
    return which == Side::predicted ? job_->predicted : job_->measured;
}

std::int64_t Session::offset(Side which) const {
    if (which == Side::measured || !job_) return 0;
    for (const auto& step : job_->steps) {
        if (step.step == step_) return step.begin;
    }
    return 0;
}

template <typename Work>
void Session::run(const QString& what, Work work) {
    if (cancelled_) cancelled_->store(true);
    cancelled_ = std::make_shared<std::atomic<bool>>(false);
    const auto generation = ++generation_;
    ++running_;
    Q_EMIT started(what);
    pool_.start([this, work, generation, cancelled = cancelled_] {
        importers::Progress progress;
        progress.cancelled = cancelled.get();
        int last = -1;
        progress.report = [this, generation, &last](std::uint64_t done, std::uint64_t total) {
            const int percent = total == 0 ? -1 : static_cast<int>(100 * done / total);
            if (percent == last) return;
            last = percent;
            QMetaObject::invokeMethod(
                this,
                [this, percent, generation] {
                    if (generation == generation_) Q_EMIT progressed(percent);
                },
                Qt::QueuedConnection);
        };
        std::shared_ptr<const Job> job;
        QString problem;
        try {
            job = work(progress);
        } catch (const importers::Cancelled&) {
            // nothing is left of it, and the user knows
        } catch (const std::exception& error) {
            problem = QString::fromUtf8(error.what());
        }
        QMetaObject::invokeMethod(
            this,
            [this, job, problem, generation] {
                --running_;
                if (generation == generation_) {
                    if (job) setJob(job);
                    if (!problem.isEmpty()) fail(problem);
                }
                if (running_ == 0) Q_EMIT finished();
            },
            Qt::QueuedConnection);
    });
}

void Session::open(const QStringList& files) {
    const QString what = files.size() == 1 ? tr("Opening %1").arg(files.front().section('/', -1))
                                           : tr("Opening %1 files").arg(files.size());
    run(what, [paths = pathsOf(files)](const importers::Progress& progress) { return loadJob(paths, progress); });
}

void Session::show(Scenario scenario) {
    run(tr("Predicting"),
        [scenario = std::move(scenario)](const importers::Progress&) { return predictedJob(scenario); });
}

void Session::cancel() {
    if (cancelled_) cancelled_->store(true);
}

void Session::setJob(std::shared_ptr<const Job> job) {
    job_ = std::move(job);
    selection_ = {};
    range_ = {};
    search_.clear();
    step_ = job_ ? job_->step : -1;
    Q_EMIT jobChanged();
}

void Session::select(const Selection& selection) {
    if (selection == selection_) return;
    selection_ = selection;
    Q_EMIT selectionChanged();
}

void Session::setRange(const TimeRange& range) {
    if (range == range_) return;
    range_ = range;
    Q_EMIT rangeChanged();
}

void Session::setStep(int step) {
    if (step == step_) return;
    step_ = step;
    Q_EMIT stepChanged();
}

void Session::setSearch(const QString& text) {
    if (text == search_) return;
    search_ = text;
    Q_EMIT searchChanged();
}

void Session::fail(const QString& message) {
    Q_EMIT failed(message);
}

}  // namespace orrery::gui
