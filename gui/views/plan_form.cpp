#include "gui/views/plan_form.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>

#include <fmt/format.h>

#include "data/jobs/describe_scenario.hpp"
#include "data/jobs/megatron_arguments.hpp"
#include "data/jobs/scenario_text.hpp"
#include "gui/style/texts.hpp"
#include "model/units/input_error.hpp"

namespace orrery::gui {
namespace {

const QString kOwn = QStringLiteral("of the open scenario");

QStringList list(const std::vector<std::string>& names) {
    QStringList out;
    for (const auto& each : names) out.push_back(text(each));
    return out;
}

template <typename Enum>
QStringList namesOf(std::initializer_list<Enum> values) {
    QStringList out;
    for (const Enum value : values) out.push_back(text(name(value)));
    return out;
}

}  // namespace

PlanForm::PlanForm(QWidget* parent) : QWidget(parent) {
    auto* form = new QFormLayout(this);
    form->setContentsMargins(12, 10, 12, 10);
    form->setVerticalSpacing(4);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto heading = [form](const QString& name) {
        form->addRow(new QLabel(QStringLiteral("<b>%1</b>").arg(name)));
    };
    heading(tr("Model and cluster"));
    model_ = addChoice(*form, tr("model"), list(catalog_.modelNames()), "llama3-70b");
    cluster_ = addChoice(*form, tr("cluster"), list(catalog_.clusterNames()), "dgx-h100");
    nodes_ = addNumber(*form, tr("nodes"), "nodes", 1, 100000, 8);
    heading(tr("Plan"));
    tp_ = addNumber(*form, tr("tensor parallel"), "tp", 1, 1024, 4);
    pp_ = addNumber(*form, tr("pipeline stages"), "pp", 1, 1024, 4);
    vpp_ = addNumber(*form, tr("chunks a stage"), "vpp", 1, 64, 1);
    cp_ = addNumber(*form, tr("context parallel"), "cp", 1, 1024, 1);
    ep_ = addNumber(*form, tr("expert parallel"), "ep", 1, 4096, 1);
    schedule_ = addChoice(*form, tr("schedule"),
                          namesOf({ScheduleKind::gpipe, ScheduleKind::oneFOneB, ScheduleKind::interleaved,
                                   ScheduleKind::zbH1, ScheduleKind::zbH2, ScheduleKind::zbV, ScheduleKind::dualPipe}),
                          text(name(ScheduleKind::oneFOneB)));
    recompute_ = addChoice(*form, tr("recompute"), namesOf({Recompute::none, Recompute::selective, Recompute::full}),
                           text(name(Recompute::none)));
    sharding_ =
        addChoice(*form, tr("sharding"), namesOf({Sharding::zero0, Sharding::zero1, Sharding::zero2, Sharding::zero3}),
                  text(name(Sharding::zero1)));
    precision_ = addChoice(*form, tr("precision"),
                           namesOf({DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::fp8, DType::fp4}),
                           text(name(DType::bf16)));
    sequenceParallel_ = addFlag(*form, tr("sequence parallel"), true);
    overlapReduce_ = addFlag(*form, tr("overlap gradient reduction"), true);
    overlapGather_ = addFlag(*form, tr("overlap parameter gather"), true);
    overlapTp_ = addFlag(*form, tr("overlap tensor parallel"), false);
    fusedLoss_ = addFlag(*form, tr("fused cross-entropy"), false);
    heading(tr("Workload"));
    sequence_ = addNumber(*form, tr("sequence length"), "sequence", 1, 16'777'216, 8192);
    batch_ = addNumber(*form, tr("global batch"), "batch", 1, 10'000'000, 128);
    microBatch_ = addNumber(*form, tr("micro-batch"), "micro_batch", 1, 65536, 1);
}

QSpinBox* PlanForm::addNumber(QFormLayout& form, const QString& name, const QString& key, int least, int most,
                              int value) {
    auto* box = new QSpinBox;
    box->setObjectName(key);
    box->setRange(least, most);
    box->setValue(value);
    box->setAccessibleName(name);
    box->setGroupSeparatorShown(true);
    form.addRow(name, box);
    connect(box, &QSpinBox::valueChanged, this, [this] { changed(); });
    return box;
}

QComboBox* PlanForm::addChoice(QFormLayout& form, const QString& name, const QStringList& values,
                               const QString& value) {
    auto* box = new QComboBox;
    box->setObjectName(name);
    box->addItems(values);
    box->setCurrentText(value);
    box->setAccessibleName(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(14);
    form.addRow(name, box);
    connect(box, &QComboBox::currentIndexChanged, this, [this] { changed(); });
    return box;
}

QCheckBox* PlanForm::addFlag(QFormLayout& form, const QString& name, bool value) {
    auto* box = new QCheckBox(name);
    box->setChecked(value);
    form.addRow(box);
    connect(box, &QCheckBox::toggled, this, [this] { changed(); });
    return box;
}

void PlanForm::changed() {
    if (!quiet_ && onChange) onChange();
}

QSpinBox& PlanForm::field(const QString& name) {
    return *findChild<QSpinBox*>(name);
}

ParallelPlan PlanForm::plan(int gpus) const {
    ParallelPlan plan = hasBase_ ? base_.plan : ParallelPlan{};
    if (!hasBase_ || base_.plan.pp != pp_->value() || base_.plan.vpp != vpp_->value()) plan.layersPerStage.clear();
    plan.tp = tp_->value();
    plan.pp = pp_->value();
    plan.vpp = vpp_->value();
    plan.cp = cp_->value();
    plan.ep = ep_->value();
    const int group = plan.tp * plan.pp * plan.cp;
    if (gpus % group != 0) {
        throw InputError(fmt::format("tp x pp x cp = {} does not divide the {} GPUs; change one of them", group, gpus));
    }
    plan.dp = gpus / group;
    plan.schedule = *parseScheduleKind(schedule_->currentText().toStdString());
    plan.recompute = *parseRecompute(recompute_->currentText().toStdString());
    plan.sharding = *parseSharding(sharding_->currentText().toStdString());
    plan.precision = *parseDType(precision_->currentText().toStdString());
    plan.sequenceParallel = sequenceParallel_->isChecked() && plan.tp > 1;
    plan.overlapGradReduce = overlapReduce_->isChecked();
    plan.overlapParamGather = overlapGather_->isChecked();
    plan.overlapTp = overlapTp_->isChecked() && plan.sequenceParallel;
    plan.fusedCrossEntropy = fusedLoss_->isChecked();
    return plan;
}

Scenario PlanForm::scenario() const {
    Scenario out;
    if (hasBase_) {
        out.calibration = base_.calibration;
        out.runtime = base_.runtime;
    }
    out.model = model_->currentText() == kOwn ? base_.model : catalog_.model(model_->currentText().toStdString());
    if (cluster_->currentText() == kOwn) {
        out.cluster = base_.cluster;
    } else {
        const ClusterPreset preset = catalog_.cluster(cluster_->currentText().toStdString());
        out.cluster = instantiate(preset, catalog_.gpu(preset.gpu), nodes_->value() * preset.gpusPerNode);
        if (hasBase_ && base_.cluster.gpu.name != out.cluster.gpu.name) {
            out.calibration = {};
            out.runtime = {};
        }
    }
    out.plan = plan(out.cluster.gpus);
    validate(out.plan, out.model, out.cluster);
    const bool ownDocuments = hasBase_ && sequence_->value() == base_.workload.sequenceLength && !batch_->isEnabled() &&
                              static_cast<int>(base_.workload.replicas.size()) == out.plan.dp;
    out.workload = ownDocuments
                       ? base_.workload
                       : Workload::fixed(sequence_->value(), batch_->value(), microBatch_->value(), out.plan.dp);
    out.name = fmt::format("{} on {} x {}", out.model.name, out.cluster.gpus, out.cluster.gpu.name);
    return out;
}

void PlanForm::fillPlan(const ParallelPlan& plan) {
    tp_->setValue(plan.tp);
    pp_->setValue(plan.pp);
    vpp_->setValue(plan.vpp);
    cp_->setValue(plan.cp);
    ep_->setValue(plan.ep);
    schedule_->setCurrentText(text(name(plan.schedule)));
    recompute_->setCurrentText(text(name(plan.recompute)));
    sharding_->setCurrentText(text(name(plan.sharding)));
    precision_->setCurrentText(text(name(plan.precision)));
    sequenceParallel_->setChecked(plan.sequenceParallel);
    overlapReduce_->setChecked(plan.overlapGradReduce);
    overlapGather_->setChecked(plan.overlapParamGather);
    overlapTp_->setChecked(plan.overlapTp);
    fusedLoss_->setChecked(plan.fusedCrossEntropy);
}

void PlanForm::setPlan(const ParallelPlan& plan, int microBatch) {
    quiet_ = true;
    fillPlan(plan);
    if (microBatch_->isEnabled()) microBatch_->setValue(microBatch);
    quiet_ = false;
}

void PlanForm::setScenario(const Scenario& scenario) {
    quiet_ = true;
    base_ = scenario;
    hasBase_ = true;
    const auto own = [](QComboBox& box) {
        if (box.findText(kOwn) < 0) box.insertItem(0, kOwn);
        box.setCurrentText(kOwn);
    };
    own(*model_);
    own(*cluster_);
    nodes_->setValue(std::max(1, scenario.cluster.gpus / std::max(1, scenario.cluster.gpusPerNode)));
    fillPlan(scenario.plan);
    sequence_->setValue(static_cast<int>(scenario.workload.sequenceLength));
    // Documents of a scenario have no field; the batch follows from them as long as dp stays.
    const auto& first = scenario.workload.replicas.front().front().documents;
    std::int64_t documents = 0;
    bool uniform = true;
    for (const auto& replica : scenario.workload.replicas) {
        for (const auto& microBatch : replica) {
            documents += std::ssize(microBatch.documents);
            uniform = uniform && microBatch.documents == first;
        }
    }
    for (const auto length : first) uniform = uniform && length == scenario.workload.sequenceLength;
    batch_->setValue(static_cast<int>(documents));
    microBatch_->setValue(uniform ? static_cast<int>(first.size()) : 1);
    batch_->setEnabled(uniform);
    microBatch_->setEnabled(uniform);
    const QString why = uniform ? QString() : tr("The open scenario lists its documents");
    batch_->setToolTip(why);
    microBatch_->setToolTip(why);
    quiet_ = false;
}

QString PlanForm::toml() const {
    const Scenario s = scenario();
    return QString::fromStdString(
        scenarioText(describe(s, s.name.empty() ? "the plan explorer" : s.name), {s.cluster.gpu.name, s.cluster.gpus}));
}

QString PlanForm::megatronFlags() const {
    std::string text;
    for (const std::string& flag : megatronArguments(describe(scenario(), "the plan explorer"))) {
        text += flag;
        text += flag.starts_with('#') ? "\n" : " \\\n";
    }
    return QString::fromStdString(text);
}

}  // namespace orrery::gui
