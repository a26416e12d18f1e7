// The fields of the plan explorer: model, cluster, plan and workload, as a Scenario.
#pragma once

#include <QWidget>
#include <functional>

#include "data/catalog/catalog.hpp"
#include "model/predict/prediction.hpp"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QSpinBox;

namespace orrery::gui {

class PlanForm : public QWidget {
  public:
    explicit PlanForm(QWidget* parent = nullptr);

    /// What the fields say. Throws InputError when it does not fit together (tp against heads, batch against dp ...).
    [[nodiscard]] Scenario scenario() const;
    /// Fills the fields from an open job; what has no field (own models, link speeds, documents) is kept as it is.
    void setScenario(const Scenario& scenario);
    /// Takes a plan for the same job.
    void setPlan(const ParallelPlan& plan, int microBatch);
    /// The fields as a scenario file.
    [[nodiscard]] QString toml() const;
    /// The fields as Megatron-LM's flags, one a line.
    [[nodiscard]] QString megatronFlags() const;
    [[nodiscard]] QSpinBox& field(const QString& name);

    std::function<void()> onChange;

  private:
    QSpinBox* addNumber(QFormLayout& form, const QString& name, const QString& key, int least, int most, int value);
    QComboBox* addChoice(QFormLayout& form, const QString& name, const QStringList& values, const QString& value);
    QCheckBox* addFlag(QFormLayout& form, const QString& name, bool value);
    void changed();
    void fillPlan(const ParallelPlan& plan);
    [[nodiscard]] ParallelPlan plan(int gpus) const;

    Catalog catalog_;
    Scenario base_;  ///< of the open job; used where its model, cluster or documents are its own
    bool hasBase_ = false;
    bool quiet_ = false;
    QComboBox *model_, *cluster_, *schedule_, *recompute_, *sharding_, *precision_;
    QSpinBox *nodes_, *tp_, *pp_, *vpp_, *cp_, *ep_, *sequence_, *batch_, *microBatch_;
    QCheckBox *sequenceParallel_, *overlapReduce_, *overlapGather_, *overlapTp_, *fusedLoss_;
};

}  // namespace orrery::gui
