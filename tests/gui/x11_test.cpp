// Real events: xdotool moves the X server's own mouse and keyboard (XTEST), and the app gets them like from a desk.
// Run by ctest under Xvfb; hidden otherwise, because it takes the pointer.
#include <QGuiApplication>
#include <QLineEdit>
#include <QProcess>
#include <QScrollBar>
#include <QStandardPaths>
#include <QTest>

#include "gui/timeline/timeline_panel.hpp"
#include "gui/timeline/view_layout.hpp"
#include "gui/views/figure_table.hpp"
#include "tests/gui/gui_app.hpp"

using namespace orrery;
using namespace orrery::gui;

namespace {

void xdotool(const QStringList& arguments) {
    QProcess tool;
    tool.start("xdotool", arguments);
    test::waitFor([&] { return tool.state() == QProcess::NotRunning; });
    REQUIRE(tool.exitCode() == 0);
    QTest::qWait(80);
}

QString at(int value) {
    return QString::number(value);
}

}  // namespace

TEST_CASE("Under a real X server the mouse selects and measures, keys zoom, and typing searches", "[.x11]") {
    test::app();
    REQUIRE(QGuiApplication::platformName() == "xcb");
    if (QStandardPaths::findExecutable("xdotool").isEmpty()) {
        WARN("xdotool is not installed; nothing was tested");
        return;
    }
    test::ShownWindow window;
    window.move(0, 0);
    window.openExampleAndWait();
    window.activateWindow();
    TimelineView& view = window.timeline().view();
    view.setFocus();
    QTest::qWait(300);
    const int head = view.viewport()->height() - view.verticalScrollBar()->pageStep();
    const QPoint row = view.viewport()->mapToGlobal(QPoint(view_layout::kGutter, head + view.scene().rows()[1].y + 8));
    xdotool({"mousemove", at(row.x() + 20), at(row.y()), "click", "1"});
    test::waitFor([&] { return window.session().selection().row >= 0; }, 5000);

    xdotool({"mousemove", at(row.x() + 100), at(row.y()), "mousedown", "1", "mousemove", at(row.x() + 200), at(row.y()),
             "mousemove", at(row.x() + 400), at(row.y()), "mouseup", "1"});
    test::waitFor([&] { return !window.session().range().empty(); }, 5000);
    CHECK(window.timeline().rangeTable().rowCount() > 0);

    const double whole = view.view().to - view.view().from;
    xdotool({"key", "w"});
    test::waitFor([&] { return view.view().to - view.view().from < whole; }, 5000);
    xdotool({"keydown", "ctrl", "click", "4", "keyup", "ctrl"});  // the wheel
    xdotool({"key", "slash", "s", "t", "a", "g", "e", "colon", "1"});
    test::waitFor([&] { return window.timeline().search().text() == "stage:1"; }, 5000);
    xdotool({"key", "Return"});
    const auto selected = window.session().selection();
    REQUIRE(selected.row >= 0);
    CHECK(window.session().side(selected.side).timeline->span(static_cast<std::size_t>(selected.row)).stage == 1);
}
