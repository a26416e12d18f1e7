// The timeline with its search field above, and below it what is selected and what a measured range holds.
#pragma once

#include <QWidget>

#include "gui/timeline/timeline_view.hpp"

class QLabel;
class QLineEdit;
class QTabWidget;

namespace orrery::gui {

class FigureTable;
class Legend;

class TimelinePanel : public QWidget {
  public:
    explicit TimelinePanel(Session& session, QWidget* parent = nullptr);

    [[nodiscard]] TimelineView& view() { return *view_; }
    [[nodiscard]] QLineEdit& search() { return *search_; }
    [[nodiscard]] FigureTable& rangeTable() { return *range_; }
    [[nodiscard]] QString details() const;
    void showKeys();

  private:
    void showSelection();
    void showRange();
    void showCount();
    [[nodiscard]] QWidget* makeBar();

    Session& session_;
    TimelineView* view_;
    QLineEdit* search_;
    QLabel *found_, *details_;
    FigureTable* range_;
    QTabWidget* tabs_;
    Legend* legend_;
};

/// Key, what it does: for the help page and docs/gui.md.
[[nodiscard]] QList<QPair<QString, QString>> timelineKeys();

}  // namespace orrery::gui
