// A view with nothing to show says why, and what to do; it never shows zeros for what is not known.
#pragma once

#include <QStackedWidget>

class QLabel;

namespace orrery::gui {

/// Either its content or a centred sentence.
class EmptyState : public QStackedWidget {
    Q_OBJECT
  public:
    explicit EmptyState(QWidget* content, QWidget* parent = nullptr);

    void showContent() { setCurrentIndex(0); }
    void showReason(const QString& reason);
    [[nodiscard]] bool isEmpty() const { return currentIndex() == 1; }
    [[nodiscard]] QString reason() const;

  private:
    QLabel* label_;
};

}  // namespace orrery::gui
