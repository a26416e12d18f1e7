// One QApplication for all tests of the app, offscreen unless QT_QPA_PLATFORM says otherwise; what a user does with
// mouse and keys; and waiting for background work without sleeping blindly.
#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <QTest>

#include <catch2/catch.hpp>

#include "gui/window/main_window.hpp"

namespace orrery::test {

/// The offscreen platform says of every window that it ignores size hints; nobody needs to read that.
inline void quietly(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (message.contains("propagateSizeHints") || message.contains("XDG_RUNTIME_DIR")) return;
    std::fprintf(stderr, "%s\n", message.toUtf8().constData());
    if (type == QtFatalMsg) std::abort();
}

inline QApplication& app() {
    static int argc = 1;
    static char name[] = "gui_tests";
    static char* argv[] = {name, nullptr};
    static QApplication* application = [] {  // lives as long as the process
        if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler(quietly);
        return new QApplication(argc, argv);
    }();
    return *application;
}

/// Runs the event loop until `done` holds; fails after a generous while.
template <typename Done>
void waitFor(Done done, int milliseconds = 20000) {
    QElapsedTimer timer;
    timer.start();
    while (!done() && timer.elapsed() < milliseconds) QApplication::processEvents(QEventLoop::AllEvents, 10);
    REQUIRE(done());
}

inline void openAndWait(gui::Session& session, const std::vector<std::filesystem::path>& files) {
    QStringList names;
    for (const auto& file : files) names.push_back(QString::fromStdString(file.string()));
    session.open(names);
    waitFor([&] { return !session.busy(); });
}

/// A shown window that leaves the user's settings alone.
class ShownWindow : public gui::MainWindow {
  public:
    ShownWindow() : MainWindow(false) {
        resize(1300, 800);
        show();
        REQUIRE(QTest::qWaitForWindowExposed(this));
    }
    void openExampleAndWait() {
        openExample();
        waitFor([&] { return !session().busy(); });
        REQUIRE(session().job() != nullptr);
        QApplication::processEvents();
    }
};

}  // namespace orrery::test
