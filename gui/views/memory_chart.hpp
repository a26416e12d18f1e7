// Memory of one device of every stage at its peak, by what it is for, against what the device has.
#pragma once

#include <QWidget>

#include "model/predict/prediction.hpp"

class QChartView;

namespace orrery::gui {

class MemoryChart : public QWidget {
  public:
    explicit MemoryChart(QWidget* parent = nullptr);
    void setStages(const std::vector<StagePrediction>& stages, Bytes capacity);

  private:
    QChartView* view_;
};

}  // namespace orrery::gui
