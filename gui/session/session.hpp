// What all views share: the open job, the selection, the time range and the search. Opens jobs in the background.
#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "gui/session/job.hpp"

namespace orrery::gui {

enum class Side : std::uint8_t { predicted, measured };

/// A span of one side; row -1: none.
struct Selection {
    Side side = Side::measured;
    std::int64_t row = -1;

    bool operator==(const Selection&) const = default;
};

/// A range on the shared time axis; empty: none.
struct TimeRange {
    std::int64_t begin = 0, end = 0;

    [[nodiscard]] bool empty() const { return end <= begin; }
    bool operator==(const TimeRange&) const = default;
};

[[nodiscard]] std::vector<std::filesystem::path> pathsOf(const QStringList& files);

class Session : public QObject {
    Q_OBJECT
  public:
    explicit Session(QObject* parent = nullptr);
    ~Session() override;

    [[nodiscard]] const Job* job() const { return job_.get(); }
    [[nodiscard]] std::shared_ptr<const Job> sharedJob() const { return job_; }
    [[nodiscard]] const Selection& selection() const { return selection_; }
    [[nodiscard]] const TimeRange& range() const { return range_; }
    [[nodiscard]] const TimelineSide& side(Side which) const;
    /// Where a side's own zero stands on the shared axis: the predicted step begins where the chosen measured one does.
    [[nodiscard]] std::int64_t offset(Side which) const;
    [[nodiscard]] int step() const { return step_; }
    [[nodiscard]] bool busy() const { return running_ > 0; }

    /// Opens files in the background as one job; a running load is cancelled. Ends with jobChanged() or failed().
    void open(const QStringList& files);
    /// Takes a scenario instead of files (plan explorer).
    void show(Scenario scenario);
    void cancel();
    void setJob(std::shared_ptr<const Job> job);

    void select(const Selection& selection);
    void setRange(const TimeRange& range);
    void setStep(int step);
    void setSearch(const QString& text);
    [[nodiscard]] const QString& search() const { return search_; }
    void fail(const QString& message);

  Q_SIGNALS:
    void jobChanged();
    void selectionChanged();
    void rangeChanged();
    void stepChanged();
    void searchChanged();
    void started(const QString& what);
    void progressed(int percent);  ///< -1: not known how far
    void finished();
    void failed(const QString& message);

  private:
    template <typename Work>
    void run(const QString& what, Work work);

    std::shared_ptr<const Job> job_;
    Selection selection_;
    TimeRange range_;
    int step_ = -1;
    QString search_;
    int running_ = 0;
    std::uint64_t generation_ = 0;  ///< results of an older one are dropped
    std::shared_ptr<std::atomic<bool>> cancelled_;
    QThreadPool pool_;
};

}  // namespace orrery::gui
