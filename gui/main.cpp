// orrery-gui [FILES]: the desktop app; --export and --screenshots work without a display.
#include <QApplication>
#include <QCommandLineParser>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "gui/report/export_report.hpp"
#include "gui/window/main_window.hpp"
#include "gui/window/screenshots.hpp"
#include "model/units/input_error.hpp"

namespace {

using namespace orrery;

bool hasArgument(int argc, char** argv, std::string_view name) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == name || (argument.starts_with(name) && argument.substr(name.size()).starts_with('=')))
            return true;
    }
    return false;
}

int run(QApplication& app) {
    QCommandLineParser parser;
    parser.setApplicationDescription("Shows a recorded training step beside its prediction.");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("FILES", "recordings, a scenario (.toml), a calibration (.json): one job",
                                 "[FILES...]");
    parser.addOption({"export", "write a report and end: .html, .pdf, .csv, .json, .pftrace or .png", "REPORT"});
    parser.addOption({"screenshots", "write a picture of every view and end", "FOLDER"});
    parser.addOption({"dark", "dark colours, whatever the desktop has"});
    if (!parser.parse(app.arguments())) throw InputError(parser.errorText().toStdString() + "; see --help");
    if (parser.isSet("help")) parser.showHelp(0);
    if (parser.isSet("version")) parser.showVersion();
    const QStringList files = parser.positionalArguments();
    if (parser.isSet("dark")) gui::useDarkColours();
    if (parser.isSet("export")) {
        const std::filesystem::path report = parser.value("export").toStdString();
        gui::checkExportSuffix(report);
        const auto job = gui::loadJob(gui::pathsOf(files), {});
        gui::exportReport(*job, report);
        fmt::print("report: {}\n", report.string());
        return 0;
    }
    if (parser.isSet("screenshots")) return gui::writeScreenshots(files, parser.value("screenshots"));
    gui::MainWindow window;
    window.show();
    if (!files.isEmpty()) window.session().open(files);
    return app.exec();
}

}  // namespace

int main(int argc, char** argv) {
    const bool headless = hasArgument(argc, argv, "--export") || hasArgument(argc, argv, "--screenshots");
    const bool noDisplay = qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        const bool harmless = hasArgument(argc, argv, "--help") || hasArgument(argc, argv, "--version");
        if (headless || (noDisplay && harmless)) qputenv("QT_QPA_PLATFORM", "offscreen");
        if (noDisplay && !headless && !harmless) {
            fmt::print(stderr, "orrery-gui: no display; use --export report.pdf FILES, or ssh -X\n");
            return 2;
        }
    }
    QApplication app(argc, argv);
    QCoreApplication::setOrganizationName("orrery");
    QCoreApplication::setApplicationName("orrery-gui");
    QCoreApplication::setApplicationVersion(ORRERY_VERSION);
    try {
        return run(app);
    } catch (const InputError& error) {
        fmt::print(stderr, "orrery-gui: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "orrery-gui: {}\n", error.what());
        return 1;
    }
}
