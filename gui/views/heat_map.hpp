// A table of figures as colours: blue below the mean, orange above it.
#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>
#include <vector>

#include "model/compare/micro_batch_times.hpp"

namespace orrery::gui {

struct HeatGrid {
    QStringList rows, columns;
    QString corner;              ///< what the columns are
    std::vector<double> values;  ///< [row * columns + column]; 0: nothing there
    std::function<QString(double)> text;

    [[nodiscard]] double at(int row, int column) const {
        return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns.size()) +
                      static_cast<std::size_t>(column)];
    }
};

class HeatMap : public QWidget {
    Q_OBJECT
  public:
    explicit HeatMap(QWidget* parent = nullptr);
    void setGrid(HeatGrid grid);
    /// Ranks down, micro-batches across.
    void setTimes(const MicroBatchTimes& times);
    [[nodiscard]] const HeatGrid& grid() const { return grid_; }
    [[nodiscard]] QString tipAt(const QPoint& point) const;
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] int rows() const { return static_cast<int>(grid_.rows.size()); }
    [[nodiscard]] int columns() const { return static_cast<int>(grid_.columns.size()); }
    [[nodiscard]] QRect cell(int row, int column) const;
    [[nodiscard]] QRgb colourOf(double value) const;

    HeatGrid grid_;
    double mean_ = 0.0, spread_ = 0.0;
};

}  // namespace orrery::gui
