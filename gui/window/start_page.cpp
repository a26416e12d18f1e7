#include "gui/window/start_page.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace orrery::gui {

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
    auto* title = new QLabel(tr("Orrery"));
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 2.2);
    large.setBold(true);
    title->setFont(large);
    auto* what = new QLabel(tr("What one training step should cost, and what it did cost."));
    auto* actions = new QVBoxLayout;
    const auto button = [&](const QString& name, const QString& hint, std::function<void()> StartPage::*action) {
        auto* made = new QPushButton(name);
        made->setMinimumHeight(38);
        made->setAccessibleDescription(hint);
        auto* under = new QLabel(hint);
        under->setWordWrap(true);
        under->setIndent(4);
        connect(made, &QPushButton::clicked, this, [this, action] {
            if (this->*action) (this->*action)();
        });
        actions->addWidget(made);
        actions->addWidget(under);
        actions->addSpacing(8);
    };
    button(
        tr("&Open recordings or a scenario…"),
        tr("Profiles (.db), PyTorch traces, Nsight exports, nccl-tests output, scenarios (.toml). Several files become "
           "one job; a scenario with a recording is compared. Or drop files here."),
        &StartPage::onOpen);
    button(tr("&Predict a plan"),
           tr("Choose a model, a cluster and a parallel plan; the step is predicted as you type."),
           &StartPage::onPredict);
    button(tr("&Example"), tr("Two pipelines with uneven documents on 4 GPUs: see the bubbles and who waits for whom."),
           &StartPage::onExample);
    auto* record =
        new QLabel(tr("To record a job on this machine:\n    orrery-agent run -o job -- mpirun -n 2 ./train"));
    record->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    actions->addWidget(record);
    actions->addStretch(1);

    recent_ = new QListWidget;
    recent_->setAccessibleName(tr("Recent files"));
    recent_->setWordWrap(true);
    const auto open = [this](QListWidgetItem* item) {
        if (onRecent && !item->data(Qt::UserRole).toStringList().isEmpty())
            onRecent(item->data(Qt::UserRole).toStringList());
    };
    connect(recent_, &QListWidget::itemActivated, this, open);
    auto* right = new QVBoxLayout;
    right->addWidget(new QLabel(tr("Recent")));
    right->addWidget(recent_, 1);

    auto* columns = new QHBoxLayout;
    columns->addLayout(actions, 1);
    columns->addSpacing(40);
    columns->addLayout(right, 1);
    auto* inner = new QVBoxLayout;
    inner->addStretch(1);
    inner->addWidget(title);
    inner->addWidget(what);
    inner->addSpacing(24);
    inner->addLayout(columns, 6);
    inner->addStretch(1);
    auto* box = new QWidget;
    box->setLayout(inner);
    box->setMaximumWidth(980);
    auto* layout = new QHBoxLayout(this);
    layout->addStretch(1);
    layout->addWidget(box, 12);
    layout->addStretch(1);
    setRecent({});
}

void StartPage::setRecent(const QList<QStringList>& jobs) {
    recent_->clear();
    for (const auto& files : jobs) {
        QStringList names;
        for (const auto& file : files) names.push_back(file.section('/', -1));
        auto* item = new QListWidgetItem(names.join(" + "), recent_);
        item->setToolTip(files.join('\n'));
        item->setData(Qt::UserRole, files);
    }
    if (!jobs.isEmpty()) return;
    auto* none = new QListWidgetItem(tr("Nothing was opened yet"), recent_);
    none->setFlags(Qt::NoItemFlags);
}

}  // namespace orrery::gui
