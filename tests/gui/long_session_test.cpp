#include <QLineEdit>
#include <QTest>
#include <fstream>
#include <map>
#include <string>

#include <unistd.h>

#include "gui/report/export_report.hpp"
#include "gui/timeline/timeline_panel.hpp"
#include "tests/gui/gui_app.hpp"
#include "tests/gui/job_files.hpp"

using namespace orrery;
using namespace orrery::gui;

namespace {

/// Resident memory of this process, MiB.
double residentMiB() {
    std::ifstream in("/proc/self/statm");
    std::int64_t size = 0;
    std::int64_t resident = 0;
    in >> size >> resident;
    return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1048576.0;
}

/// Objects of the window by class.
std::map<std::string, int> objectsOf(const QWidget& window) {
    std::map<std::string, int> counts;
    for (const QObject* object : window.findChildren<QObject*>()) ++counts[object->metaObject()->className()];
    return counts;
}

void workAWhile(test::ShownWindow& window, const test::JobFiles& files) {
    test::openAndWait(window.session(), files.both());
    REQUIRE(window.session().job() != nullptr);
    TimelineView& view = window.timeline().view();
    for (int i = 0; i < 5; ++i) QTest::keyClick(&view, Qt::Key_W);
    window.session().select({Side::measured, 1});
    window.session().setRange({0, 500'000});
    window.timeline().search().setText("phase:forward");
    for (const QString& name : window.viewNames()) {
        window.showView(name);
        QApplication::processEvents();
    }
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);  // else they wait for a loop that returns
    exportReport(*window.session().job(), files.folder / "report.html");
}

}  // namespace

TEST_CASE("A long session neither collects objects nor memory", "[gui]") {
    test::app();
    const test::JobFiles files;
    test::ShownWindow window;
    for (int round = 0; round < 6; ++round) workAWhile(window, files);  // caches and arenas fill
    const auto objects = objectsOf(window);
    const double before = residentMiB();
    for (int round = 0; round < 24; ++round) workAWhile(window, files);
    for (const auto& [name, count] : objectsOf(window)) {
        INFO(name);
        const auto found = objects.find(name);
        CHECK(count <= (found == objects.end() ? 0 : found->second) + 10);
    }
    CHECK(residentMiB() < before + 24.0);  // less than 1 MiB a round
}
