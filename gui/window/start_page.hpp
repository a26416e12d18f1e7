// What the app shows before anything is open: recent files, open, the example, how to record.
#pragma once

#include <QWidget>
#include <functional>

class QListWidget;

namespace orrery::gui {

class StartPage : public QWidget {
  public:
    explicit StartPage(QWidget* parent = nullptr);
    /// Each entry: the files of one job.
    void setRecent(const QList<QStringList>& jobs);

    std::function<void()> onOpen, onExample, onPredict;
    std::function<void(const QStringList&)> onRecent;

  private:
    QListWidget* recent_;
};

}  // namespace orrery::gui
