// A table of times as colours: ranks down, micro-batches across; blue below the mean, orange above it.
#pragma once

#include <QWidget>

#include "model/compare/micro_batch_times.hpp"

namespace orrery::gui {

class HeatMap : public QWidget {
  public:
    explicit HeatMap(QWidget* parent = nullptr);
    void setTimes(MicroBatchTimes times);
    [[nodiscard]] QString tipAt(const QPoint& point) const;
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] QRect cell(int rank, int microBatch) const;
    [[nodiscard]] QRgb colourOf(std::int64_t time) const;

    MicroBatchTimes times_;
    double mean_ = 0.0, spread_ = 0.0;
};

}  // namespace orrery::gui
