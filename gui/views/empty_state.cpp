#include "gui/views/empty_state.hpp"

#include <QDockWidget>
#include <QLabel>

#include "gui/views/views.hpp"

namespace orrery::gui {

EmptyState::EmptyState(QWidget* content, QWidget* parent) : QStackedWidget(parent), label_(new QLabel) {
    label_->setAlignment(Qt::AlignCenter);
    label_->setWordWrap(true);
    label_->setMargin(60);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    addWidget(content);
    addWidget(label_);
}

void EmptyState::showReason(const QString& reason) {
    label_->setText(reason);
    setCurrentIndex(1);
}

QString EmptyState::reason() const {
    return isEmpty() ? label_->text() : QString();
}

void raiseView(const QWidget* from, const QString& name) {
    if (auto* dock = from->window()->findChild<QDockWidget*>(name)) {
        dock->show();
        dock->raise();
    }
}

}  // namespace orrery::gui
