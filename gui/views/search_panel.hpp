// Search over plans: every legal plan of the job that the fields describe, as a table with filters and a Pareto
// picture.
#pragma once

#include <QWidget>
#include <functional>

#include "model/predict/prediction.hpp"

namespace orrery::gui {

class SearchPanel : public QWidget {
  public:
    explicit SearchPanel(QWidget* parent = nullptr) : QWidget(parent) {}

    /// What is searched around; may throw InputError, which is shown.
    std::function<Scenario()> scenario;
    /// A plan of the table was chosen.
    std::function<void(const ParallelPlan&, int microBatch)> onChosen;
};

[[nodiscard]] SearchPanel* makeSearchPanel();

}  // namespace orrery::gui
