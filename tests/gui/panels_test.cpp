#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>
#include <QtCharts/QChartView>
#include <fstream>

#include <fmt/format.h>

#include "data/scenario/scenario_file.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/heat_map.hpp"
#include "gui/views/save_picture.hpp"
#include "model/units/input_error.hpp"
#include "tests/gui/gui_app.hpp"
#include "tests/gui/job_files.hpp"
#include "tests/support/shared_data.hpp"

using namespace orrery;
using namespace orrery::gui;

namespace {

/// The tab of the imbalance view with that name, in front.
QWidget* imbalanceTab(test::ShownWindow& window, const char* name) {
    auto* tabs = dynamic_cast<QTabWidget*>(window.showView("Imbalance"));
    REQUIRE(tabs != nullptr);
    auto* tab = tabs->findChild<QWidget*>(name);
    REQUIRE(tab != nullptr);
    tabs->setCurrentWidget(tab);
    return tab;
}

std::string head(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string text(64, '\0');
    in.read(text.data(), 64);
    return text;
}

}  // namespace

TEST_CASE("Every packing policy is judged on the open scenario, and a policy's packs are shown", "[gui]") {
    test::app();
    test::ShownWindow window;
    window.openExampleAndWait();
    QWidget* panel = imbalanceTab(window, "packing");
    auto* table = panel->findChild<FigureTable*>("policies");
    test::waitFor([&] { return table->rowCount() == 8; });
    const auto* map = panel->findChild<HeatMap*>();
    CHECK(map->grid().rows.size() == 2);               // the example has two replicas
    const QString before = table->item(4, 1)->text();  // buckets pad, so lengths matter
    panel->findChild<QComboBox*>("lengths")->setCurrentText("web");
    test::waitFor([&] { return table->rowCount() == 8 && table->item(4, 1)->text() != before; });
}

TEST_CASE("Stragglers of a published job are scored, and a slider answers what if", "[gui]") {
    const auto trace = test::sharedData("traces/straggler/timeline-ST.json.gz");
    if (!trace) return;
    test::app();
    test::ShownWindow window;
    test::openAndWait(window.session(), {*trace});
    REQUIRE(window.session().job() != nullptr);
    QWidget* panel = imbalanceTab(window, "stragglers");
    CHECK_FALSE(panel->findChild<EmptyState*>()->isEmpty());
    const HeatGrid& grid = panel->findChild<HeatMap*>()->grid();
    CHECK(grid.values.size() == window.session().job()->replay->analysis.byWorker.size());
    auto* result = panel->findChild<QLabel*>("whatIf");
    REQUIRE(result != nullptr);
    test::waitFor([&] { return !result->text().isEmpty(); });
    const QString before = result->text();
    panel->findChild<QSlider*>("compute")->setValue(50);
    test::waitFor([&] { return result->text() != before; });
    INFO(result->text().toStdString());
    CHECK(result->text().contains(", -"));  // half the compute, a shorter step
}

TEST_CASE("A slow link makes the predicted step longer", "[gui]") {
    test::app();
    test::ShownWindow window;
    window.openExampleAndWait();
    QWidget* panel = imbalanceTab(window, "what-if");
    auto* result = panel->findChild<QLabel*>("result");
    test::waitFor([&] { return !result->text().isEmpty(); });
    const QString before = result->text();
    for (auto* slider : panel->findChildren<QSlider*>()) {
        if (slider->objectName().startsWith("link:")) slider->setValue(5);
    }
    test::waitFor([&] { return result->text() != before; });
    INFO(result->text().toStdString());
    CHECK(result->text().contains("(+"));
}

TEST_CASE("The search lists plans fastest first, filters them, and takes one into the fields", "[gui]") {
    test::app();
    test::ShownWindow window;
    QWidget* plan = window.showView("Plan");
    plan->findChild<QComboBox*>("model")->setCurrentText("llama3-8b");
    plan->findChild<QSpinBox*>("nodes")->setValue(1);
    plan->findChild<QSpinBox*>("pp")->setValue(2);
    plan->findChild<QSpinBox*>("batch")->setValue(16);
    plan->findChild<QTabWidget*>("planTabs")->setCurrentIndex(1);
    auto* table = plan->findChild<FigureTable*>("plans");
    QTest::mouseClick(plan->findChild<QPushButton*>("search"), Qt::LeftButton);
    test::waitFor([&] { return table->rowCount() > 3; });
    const int all = table->rowCount();
    const QString first = table->item(0, 1)->text();
    const QString word = first.section(' ', 0, 0);  // "tp8"
    QTest::keyClicks(plan->findChild<QLineEdit*>("planFilter"), word);
    CHECK(table->rowCount() <= all);
    CHECK(table->item(0, 1)->text().startsWith(word));
    Q_EMIT table->itemActivated(table->item(0, 1));
    CHECK(plan->findChild<QSpinBox*>("tp")->value() == word.mid(2).toInt());
    CHECK(plan->findChild<QTabWidget*>("planTabs")->currentIndex() == 0);
}

TEST_CASE("A plan is copied as a scenario that reads back, and as Megatron's flags", "[gui]") {
    test::app();
    const test::TempFolder folder;
    test::ShownWindow window;
    window.openExampleAndWait();  // its model and documents are its own: no preset has them
    QWidget* plan = window.showView("Plan");
    const auto click = [&](const QString& text) {
        for (auto* button : plan->findChildren<QPushButton*>()) {
            if (button->text() == text) QTest::mouseClick(button, Qt::LeftButton);
        }
        return QApplication::clipboard()->text().toStdString();
    };
    const Scenario copied = readScenario(folder.write("copied.toml", click("Copy as scenario")));
    CHECK(copied.plan.tp == plan->findChild<QSpinBox*>("tp")->value());
    CHECK(copied.plan.pp == plan->findChild<QSpinBox*>("pp")->value());
    const std::string flags = click("Copy Megatron flags");
    CHECK(flags.find(fmt::format("--tensor-model-parallel-size {} \\\n", copied.plan.tp)) != std::string::npos);
    CHECK(flags.find(fmt::format("--num-layers {} \\\n", copied.model.layers)) != std::string::npos);
}

TEST_CASE("Charts are saved as PNG and SVG, tables as CSV and Markdown", "[gui]") {
    test::app();
    const test::TempFolder folder;
    test::ShownWindow window;
    window.openExampleAndWait();
    auto* chart = window.showView("Memory")->findChild<QChartView*>();
    REQUIRE(chart != nullptr);
    savePicture(*chart, QString::fromStdString((folder / "m.png").string()));
    savePicture(*chart, QString::fromStdString((folder / "m.svg").string()));
    CHECK(head(folder / "m.png").substr(1, 3) == "PNG");
    CHECK(head(folder / "m.svg").find("<?xml") == 0);
    CHECK_THROWS_AS(savePicture(*chart, QString::fromStdString((folder / "m.bmp").string())), InputError);
    auto* table = window.showView("Memory")->findChild<FigureTable*>();
    table->saveCsv(QString::fromStdString((folder / "m.csv").string()));
    CHECK(head(folder / "m.csv").find("stage,weights") == 0);
    CHECK(table->asMarkdown(false).startsWith("| stage | weights"));
}
