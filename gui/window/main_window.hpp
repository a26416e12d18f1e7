// The main window: start page, one dock a view, an error bar, progress and losses in the status bar.
#pragma once

#include <QList>
#include <QMainWindow>
#include <QStringList>

#include "gui/session/session.hpp"

class QLabel;
class QProgressBar;
class QToolBar;
class QToolButton;

namespace orrery::gui {

class StartPage;
class TimelinePanel;

class MainWindow : public QMainWindow {
  public:
    /// `remember`: window layout and recent files are kept in the user's settings.
    explicit MainWindow(bool remember = true);
    ~MainWindow() override;

    [[nodiscard]] Session& session() { return session_; }
    [[nodiscard]] TimelinePanel& timeline() { return *timeline_; }
    /// "Timeline", "Compare" ...: brings a view to the front; the view, or nullptr when there is none of that name.
    QWidget* showView(const QString& name);
    [[nodiscard]] QStringList viewNames() const;
    void openExample();
    [[nodiscard]] QString errorText() const;
    void showError(const QString& message);
    [[nodiscard]] QString statusText() const;

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void addView(const QString& name, QWidget* view);
    void makeMenus();
    void makeStatus();
    void chooseFiles();
    void chooseExport();
    void takeJob();
    void fitError();
    void showStart(bool start);
    void remember(const QStringList& files);
    [[nodiscard]] QList<QStringList> recent() const;

    Session session_;
    bool remember_;
    StartPage* start_;
    TimelinePanel* timeline_ = nullptr;
    QList<QDockWidget*> docks_;
    QToolBar* errors_;
    QLabel *error_, *work_, *facts_;
    QProgressBar* progress_;
    QToolButton* cancel_;
};

}  // namespace orrery::gui
