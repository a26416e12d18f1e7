// From the predicted step to the measured one: a bar each, and between them what every part of the step adds or saves.
#pragma once

#include <QWidget>
#include <vector>

#include "model/compare/comparison.hpp"

namespace orrery::gui {

class Waterfall : public QWidget {
  public:
    explicit Waterfall(QWidget* parent = nullptr);
    /// Rows as model/compare orders them: from the predicted to the measured step.
    void setComparison(const TimeTable& table);
    /// The measured times of the rows as parts of one whole called `total`.
    void setParts(const TimeTable& table, const QString& total);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void setBars(const TimeTable& table, bool compared, const QString& total);

    struct Bar {
        QString name, value;
        double from = 0.0, to = 0.0;  ///< s
        bool total = false;
    };
    std::vector<Bar> bars_;
    bool compared_ = false;
    double low_ = 0.0, high_ = 1.0;
};

}  // namespace orrery::gui
