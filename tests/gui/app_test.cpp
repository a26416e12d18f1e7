#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSpinBox>
#include <QTest>

#include "gui/report/export_report.hpp"
#include "gui/timeline/timeline_panel.hpp"
#include "gui/timeline/view_layout.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/figure_table.hpp"
#include "model/units/input_error.hpp"
#include "tests/gui/gui_app.hpp"
#include "tests/gui/job_files.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/shared_data.hpp"

namespace {

using namespace orrery;
using namespace orrery::gui;
using orrery::test::app;
using orrery::test::JobFiles;
using orrery::test::openAndWait;
using orrery::test::ShownWindow;
using orrery::test::TempFolder;
using orrery::test::waitFor;

double shown(const TimelineView& view) {
    return view.view().to - view.view().from;
}

/// The middle of the first row that holds spans, in the view's viewport, `share` of the width from the left.
QPoint pointIn(TimelineView& view, double share) {
    const int plot = view.viewport()->width() - view_layout::kGutter;
    const int head = view.viewport()->height() - view.verticalScrollBar()->pageStep();
    return {view_layout::kGutter + static_cast<int>(plot * share), head + view.scene().rows()[1].y + 8};
}

}  // namespace

TEST_CASE("The bundled example opens, zooms, pans, and the zoom can be undone", "[gui]") {
    app();
    ShownWindow window;
    window.openExampleAndWait();
    TimelineView& view = window.timeline().view();
    REQUIRE_FALSE(view.scene().empty());
    const double whole = shown(view);
    QTest::keyClick(&view, Qt::Key_W);
    CHECK(shown(view) < whole);
    QTest::keyClick(&view, Qt::Key_W);
    QTest::keyClick(&view, Qt::Key_Backspace);
    QTest::keyClick(&view, Qt::Key_Backspace);
    CHECK(shown(view) == Approx(whole));
    const double from = view.view().from;
    QTest::keyClick(&view, Qt::Key_W);
    QTest::keyClick(&view, Qt::Key_D);
    CHECK(view.view().from > from);
    QTest::keyClick(&view, Qt::Key_Home);
    CHECK(shown(view) == Approx(whole).epsilon(0.05));
    CHECK(window.statusText().contains("calibration"));
}

TEST_CASE("A click selects and brackets follow the micro-batch; a drag measures and M marks it; Esc clears", "[gui]") {
    app();
    ShownWindow window;
    window.openExampleAndWait();
    Session& session = window.session();
    TimelineView& view = window.timeline().view();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, pointIn(view, 0.02));
    REQUIRE(session.selection().row >= 0);
    const auto task = session.selection();
    CHECK(window.timeline().details().contains("micro-batch"));
    QTest::keyClick(&view, Qt::Key_BracketRight);
    CHECK_FALSE(session.selection() == task);
    QTest::keyClick(&view, Qt::Key_BracketLeft);
    CHECK(session.selection() == task);
    QTest::keyClick(&view, Qt::Key_Period);
    CHECK_FALSE(session.selection() == task);

    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, pointIn(view, 0.1));
    QTest::mouseMove(view.viewport(), pointIn(view, 0.3));
    QTest::mouseMove(view.viewport(), pointIn(view, 0.5));
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, pointIn(view, 0.5));
    REQUIRE_FALSE(session.range().empty());
    CHECK(window.timeline().rangeTable().rowCount() > 3);
    QTest::keyClick(&view, Qt::Key_M);
    CHECK(view.marks().size() == 1);
    QTest::keyClick(&view, Qt::Key_M);
    CHECK(view.marks().empty());
    QTest::keyClick(&view, Qt::Key_Escape);
    CHECK(session.range().empty());
    CHECK(session.selection().row == -1);
}

TEST_CASE("A search finds spans by name and field, and Enter goes from one to the next", "[gui]") {
    app();
    ShownWindow window;
    window.openExampleAndWait();
    Session& session = window.session();
    TimelinePanel& panel = window.timeline();
    QTest::keyClick(&panel.view(), Qt::Key_Slash);
    QTest::keyClicks(&panel.search(), "phase:backward stage:1 mb:2");
    const auto found = panel.view().filter().count(session.side(Side::predicted), session.side(Side::measured));
    CHECK(found > 0);
    QTest::keyClick(&panel.search(), Qt::Key_Return);
    REQUIRE(session.selection().row >= 0);
    const Span span = session.side(Side::predicted).timeline->span(static_cast<std::size_t>(session.selection().row));
    CHECK(span.phase == Phase::backward);
    CHECK(span.microBatch == 2);
    panel.search().setText("there is no such span");
    CHECK(panel.view().filter().count(session.side(Side::predicted), session.side(Side::measured)) == 0);
}

TEST_CASE("A recording is summarised with its steps, losses and imbalance", "[gui]") {
    app();
    const TempFolder folder;
    test::writePipelineJob(folder / "job.db", 3, 4);
    ShownWindow window;
    openAndWait(window.session(), {folder / "job.db"});
    const Job* job = window.session().job();
    REQUIRE(job != nullptr);
    CHECK(job->steps.size() == 3);
    REQUIRE(job->report);
    CHECK_FALSE(job->report->comparison.hasPrediction);
    CHECK(window.statusText().contains("LOST: 2 ring buffer full"));
    auto* imbalance = window.showView("Imbalance")->findChild<QWidget*>("micro-batches");
    REQUIRE(imbalance != nullptr);
    CHECK(imbalance->findChild<FigureTable*>()->rowCount() == 2);
    CHECK_FALSE(imbalance->findChild<EmptyState*>()->isEmpty());
    CHECK(window.showView("Memory")->findChild<EmptyState*>()->reason().contains("scenario"));
}

TEST_CASE("Compare explains the gap, and a row's double click goes to its spans", "[gui]") {
    app();
    const JobFiles files;
    ShownWindow window;
    openAndWait(window.session(), files.both());
    const Job* job = window.session().job();
    REQUIRE(job != nullptr);
    REQUIRE(job->report);
    REQUIRE(job->report->comparison.hasPrediction);
    QWidget* compare = window.showView("Compare");
    auto* table = compare->findChild<FigureTable*>();
    REQUIRE(table->columnCount() >= 5);
    const auto& phases = job->report->comparison.overall.phases;
    REQUIRE(table->rowCount() == static_cast<int>(phases.size()));
    CHECK(table->item(0, 0)->text().toStdString() == phases.front().name);  // the largest gap first
    QTest::qWait(50);
    const QPoint first = table->visualItemRect(table->item(0, 0)).center();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, first);
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, first);
    CHECK(window.session().search() == QString::fromStdString("phase:" + phases.front().name));
    CHECK(window.timeline().isVisible());
}

TEST_CASE("What cannot be opened is said in the error bar, and the window goes on", "[gui]") {
    app();
    const TempFolder folder;
    ShownWindow window;
    openAndWait(window.session(), {folder / "nothing.db"});
    CHECK(window.errorText().contains("no such file"));
    CHECK(window.session().job() == nullptr);
    openAndWait(window.session(), {folder.write("wrong.toml", "[model]\npreset = \"llama3-8b\"\nwheels = 4\n")});
    CHECK(window.errorText().contains("wrong.toml"));
    window.openExampleAndWait();
    CHECK(window.session().job() != nullptr);
}

TEST_CASE("The plan explorer predicts after a change and says why a plan does not fit", "[gui]") {
    app();
    ShownWindow window;
    QWidget* plan = window.showView("Plan");
    auto* figures = plan->findChild<FigureTable*>("figures");
    waitFor([&] { return figures->rowCount() > 0 && figures->item(0, 1) != nullptr; });
    const QString before = figures->item(0, 1)->text();
    plan->findChild<QSpinBox*>("batch")->setValue(256);
    waitFor([&] { return figures->item(0, 1)->text() != before; });
    plan->findChild<QSpinBox*>("tp")->setValue(3);
    const auto says = [&] {
        for (const auto* label : plan->findChildren<QLabel*>()) {
            if (label->text().contains("does not divide")) return true;
        }
        return false;
    };
    waitFor(says);
}

TEST_CASE("A job is exported in every format, and a wrong suffix is refused before anything is written", "[gui]") {
    app();
    const TempFolder folder;
    const JobFiles files;
    const auto job = loadJob(files.both(), {});
    for (const char* name : {"r.pdf", "r.html", "r.csv", "r.json", "r.png", "r.pftrace"}) {
        exportReport(*job, folder / name);
        CHECK(std::filesystem::file_size(folder / name) > 100);
    }
    CHECK_THROWS_AS(exportReport(*job, folder / "r.docx"), InputError);
    CHECK_FALSE(std::filesystem::exists(folder / "r.docx"));
}

TEST_CASE("orrery-gui --export works without a display and answers a bad file with exit code 2", "[gui]") {
    const TempFolder folder;
    test::writePipelineJob(folder / "job.db", 2, 2);
    const std::string program = "env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM " ORRERY_BIN_DIR "/orrery-gui";
    const auto good =
        test::runProgram(program + " --export " + (folder / "r.pdf").string() + " " + (folder / "job.db").string());
    INFO(good.output);
    CHECK(good.exitCode == 0);
    CHECK(std::filesystem::file_size(folder / "r.pdf") > 1000);
    CHECK(test::runProgram(program + " --export r.pdf " + (folder / "none.db").string()).exitCode == 2);
    CHECK(test::runProgram(program).exitCode == 2);
}

TEST_CASE("A real two-rank PyTorch trace opens as one job", "[gui]") {
    const auto trace = test::sharedData("traces/kineto/hta_dlrm_2ranks");
    if (!trace) return;
    app();
    ShownWindow window;
    openAndWait(window.session(), {*trace});
    REQUIRE(window.session().job() != nullptr);
    CHECK(window.session().job()->facts.size() == 2);
    CHECK_FALSE(window.timeline().view().scene().empty());
}
