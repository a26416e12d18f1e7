// From the predicted step to the measured one: a bar each, and between them what every part of the step adds or saves.
#pragma once

#include <QWidget>
#include <vector>

#include "model/compare/comparison.hpp"

namespace orrery::gui {

class Waterfall : public QWidget {
  public:
    explicit Waterfall(QWidget* parent = nullptr);
    /// Rows as model/compare orders them. Without a prediction the parts of the measured step are drawn as they are.
    void setTable(const TimeTable& table, bool hasPrediction);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    struct Bar {
        QString name, value;
        double from = 0.0, to = 0.0;  ///< s
        bool total = false;
    };
    std::vector<Bar> bars_;
    double low_ = 0.0, high_ = 1.0;
};

}  // namespace orrery::gui
