#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QTest>

#include "gui/views/figure_table.hpp"
#include "tests/gui/gui_app.hpp"

using namespace orrery::gui;

namespace {

std::vector<std::vector<Cell>> threeRows() {
    return {{QString("nine, quoted \"x\""), {"9.0 ms", 9e-3}},
            {QString("ten"), {"10 us", 1e-5}},
            {QString("two"), {"2 s", 2.0}}};
}

}  // namespace

TEST_CASE("A table of figures sorts by value, not by text, and keeps the model's contract", "[gui]") {
    orrery::test::app();
    FigureTable table;
    const QAbstractItemModelTester tester(table.model(), QAbstractItemModelTester::FailureReportingMode::Warning);
    table.setFigures({"name", "time"}, threeRows());
    table.show();
    REQUIRE(QTest::qWaitForWindowExposed(&table));
    const QPoint header(table.horizontalHeader()->sectionViewportPosition(1) + 5, 5);
    QTest::mouseClick(table.horizontalHeader()->viewport(), Qt::LeftButton, {}, header);
    CHECK(table.item(0, 0)->text() == "ten");
    CHECK(table.item(2, 0)->text() == "two");
    QTest::mouseClick(table.horizontalHeader()->viewport(), Qt::LeftButton, {}, header);
    CHECK(table.item(0, 0)->text() == "two");
    table.setFigures({"only"}, {});
    CHECK(table.rowCount() == 0);
}

TEST_CASE("Rows of a table are copied with a header, and CSV fields are quoted", "[gui]") {
    orrery::test::app();
    FigureTable table;
    table.setFigures({"name", "time"}, threeRows());
    table.show();
    table.selectRow(1);
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    CHECK(QApplication::clipboard()->text() == "name\ttime\nten\t10 us\n");
    CHECK(table.asText(',', false).startsWith("name,time\n\"nine, quoted \"\"x\"\"\",9.0 ms\n"));
}
