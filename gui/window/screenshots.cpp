#include "gui/window/screenshots.hpp"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QPixmap>
#include <QPushButton>
#include <QStyleFactory>
#include <QTabWidget>

#include <fmt/format.h>

#include "gui/timeline/timeline_panel.hpp"
#include "gui/window/main_window.hpp"
#include "model/units/input_error.hpp"

namespace orrery::gui {
namespace {

constexpr int kWidth = 1440, kHeight = 860, kSettleMs = 400;

void settle(int milliseconds) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < milliseconds) QApplication::processEvents(QEventLoop::AllEvents, 20);
}

void save(QWidget& window, const QString& file) {
    if (!window.grab().save(file, "PNG"))
        throw InputError(file.toStdString() + ": cannot be written; choose another folder");
    fmt::print("{}\n", file.toStdString());
}

/// A span in the middle of the first rank, so that the details have something to say.
void selectSomething(MainWindow& window) {
    const Side side = window.session().side(Side::measured).empty() ? Side::predicted : Side::measured;
    TimelineView& view = window.timeline().view();
    for (const auto& row : view.scene().rows()) {
        if (row.header || row.side != side) continue;
        const RowSpans& spans = view.scene().side(side).data.index->rows()[row.index];
        const auto middle =
            static_cast<std::int64_t>((view.view().from + view.view().to) / 2) - window.session().offset(side);
        const auto at = static_cast<std::size_t>(std::lower_bound(spans.start.begin(), spans.start.end(), middle) -
                                                 spans.start.begin());
        if (at < spans.source.size()) window.session().select({side, spans.source[at]});
        return;
    }
}

/// A view, and each of its tabs.
void shootView(MainWindow& window, const QString& name, const QString& file) {
    QWidget* view = window.showView(name);
    settle(kSettleMs);
    save(window, file + ".png");
    auto* tabs = qobject_cast<QTabWidget*>(view);
    if (tabs == nullptr) tabs = view->findChild<QTabWidget*>("planTabs");
    for (int i = 1; tabs != nullptr && i < tabs->count(); ++i) {
        tabs->setCurrentIndex(i);
        settle(kSettleMs);
        if (auto* search = tabs->currentWidget()->findChild<QPushButton*>("search")) {
            search->click();
            while (!search->isEnabled()) settle(50);
        }
        settle(2 * kSettleMs);
        save(window, file + '-' + tabs->tabText(i).toLower().replace(' ', '-') + ".png");
    }
    if (tabs != nullptr) tabs->setCurrentIndex(0);
}

}  // namespace

void useDarkColours() {
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QPalette dark;
    dark.setColor(QPalette::Window, QColor(0x1d, 0x21, 0x26));
    dark.setColor(QPalette::WindowText, QColor(0xe4, 0xe8, 0xec));
    dark.setColor(QPalette::Base, QColor(0x14, 0x17, 0x1b));
    dark.setColor(QPalette::AlternateBase, QColor(0x1d, 0x21, 0x26));
    dark.setColor(QPalette::Text, QColor(0xe4, 0xe8, 0xec));
    dark.setColor(QPalette::PlaceholderText, QColor(0x9a, 0xa5, 0xb0));
    dark.setColor(QPalette::Button, QColor(0x2a, 0x30, 0x37));
    dark.setColor(QPalette::ButtonText, QColor(0xe4, 0xe8, 0xec));
    dark.setColor(QPalette::Link, QColor(0x6c, 0xb2, 0xf7));
    dark.setColor(QPalette::Highlight, QColor(0x2f, 0x6f, 0xb0));
    dark.setColor(QPalette::HighlightedText, Qt::white);
    dark.setColor(QPalette::ToolTipBase, QColor(0x1d, 0x21, 0x26));
    dark.setColor(QPalette::ToolTipText, QColor(0xe4, 0xe8, 0xec));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        dark.setColor(QPalette::Disabled, role, QColor(0x7d, 0x88, 0x93));
    }
    QApplication::setPalette(dark);
}

int writeScreenshots(const QStringList& files, const QString& folder) {
    if (!QDir().mkpath(folder)) throw InputError(folder.toStdString() + ": the folder cannot be made; choose another");
    MainWindow window(false);
    window.resize(kWidth, kHeight);
    window.show();
    settle(kSettleMs);
    save(window, folder + "/start.png");
    if (files.isEmpty()) {
        window.openExample();
    } else {
        window.session().open(files);
    }
    while (window.session().busy()) settle(50);
    if (window.session().job() == nullptr) throw InputError(window.errorText().toStdString());
    settle(kSettleMs);
    selectSomething(window);
    for (const QString& name : window.viewNames()) shootView(window, name, folder + '/' + name.toLower());
    return 0;
}

}  // namespace orrery::gui
