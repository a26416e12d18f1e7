// One question at a time, answered beside the window: a new question drops the answer to the one before.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>

namespace orrery::gui {

/// Lives as long as the widget that asks; its destructor waits for the answer under way.
class Background : public QObject {
  public:
    Background() { pool_.setMaxThreadCount(1); }
    ~Background() override {
        stop();
        pool_.waitForDone();
    }

    /// Runs `work` in a thread and `take` with its result in this one. `work` is given a flag that asks it to end soon.
    template <typename Work, typename Take>
    void ask(Work work, Take take) {
        stop();
        stop_ = std::make_shared<std::atomic<bool>>(false);
        const auto number = ++asked_;
        pool_.start([this, number, work = std::move(work), take = std::move(take), stop = stop_] {
            auto result = std::make_shared<decltype(work(*stop))>(work(*stop));
            QMetaObject::invokeMethod(
                this,
                [this, number, take, result] {
                    if (number != asked_) return;
                    answered_ = number;
                    take(*result);
                },
                Qt::QueuedConnection);
        });
    }
    void stop() {
        pool_.clear();
        if (stop_) stop_->store(true);
    }
    [[nodiscard]] bool busy() const { return answered_ != asked_; }

  private:
    QThreadPool pool_;
    std::shared_ptr<std::atomic<bool>> stop_;
    std::uint64_t asked_ = 0, answered_ = 0;
};

}  // namespace orrery::gui
