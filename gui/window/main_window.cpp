#include "gui/window/main_window.hpp"

#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QProgressBar>
#include <QSettings>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

#include "gui/report/export_report.hpp"
#include "gui/session/example.hpp"
#include "gui/style/texts.hpp"
#include "gui/timeline/timeline_panel.hpp"
#include "gui/views/views.hpp"
#include "gui/window/start_page.hpp"
#include "model/units/input_error.hpp"

namespace orrery::gui {
namespace {

constexpr int kRecentJobs = 12;

/// Losses, ranks and clocks of a recording in one line; of a prediction where its times come from.
QString factsOf(const Job& job) {
    QStringList parts;
    if (!job.facts.empty()) {
        parts.push_back(QObject::tr("%n rank(s)", "", static_cast<int>(job.facts.size()))
                            .replace("(s)", job.facts.size() == 1 ? "" : "s"));
        if (!job.steps.empty()) parts.push_back(QObject::tr("%1 steps").arg(job.steps.size()));
        std::int64_t lost = 0;
        bool known = false;
        std::int64_t uncertainty = 0;
        QString kinds;
        for (const auto& rank : job.facts) {
            known = known || !rank.losses.empty();
            for (const auto& [kind, count] : rank.losses) {
                lost += count;
                if (count > 0) kinds += QStringLiteral(" %1 %2").arg(countText(count), text(kind));
            }
            uncertainty = std::max(uncertainty, rank.rank.clockUncertainty.value_or(0));
        }
        parts.push_back(!known      ? QObject::tr("losses: not counted by this recorder")
                        : lost == 0 ? QObject::tr("losses: none")
                                    : QObject::tr("LOST:%1").arg(kinds));
        if (uncertainty > 0) parts.push_back(QObject::tr("clocks ±%1").arg(durationText(uncertainty)));
    }
    if (job.scenario) parts.push_back(QObject::tr("calibration: %1").arg(text(job.scenario->calibration.name)));
    return parts.join(QStringLiteral("  ·  "));
}

}  // namespace

MainWindow::MainWindow(bool remember) : remember_(remember) {
    setWindowTitle(tr("Orrery"));
    setAcceptDrops(true);
    setDockOptions(AllowTabbedDocks | AllowNestedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    resize(1440, 900);

    start_ = new StartPage;
    start_->onOpen = [this] { chooseFiles(); };
    start_->onExample = [this] { openExample(); };
    start_->onPredict = [this] {
        showStart(false);
        showView("Plan");
    };
    start_->onRecent = [this](const QStringList& files) { session_.open(files); };
    setCentralWidget(start_);

    errors_ = addToolBar(tr("Messages"));
    errors_->setMovable(false);
    error_ = new QLabel;
    error_->setWordWrap(true);
    error_->setMargin(6);
    error_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    error_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    errors_->addWidget(error_);
    errors_->addAction(tr("Dismiss"), errors_, &QWidget::hide);
    errors_->hide();

    timeline_ = new TimelinePanel(session_);
    addView("Timeline", timeline_);
    addView("Compare", makeCompareView(session_));
    addView("Plan", makePlanView(session_));
    addView("Memory", makeMemoryView(session_));
    addView("Roofline", makeRooflineView(session_));
    addView("Imbalance", makeImbalanceView(session_));
    addView("Report", makeReportView(session_));
    makeStatus();
    makeMenus();

    connect(&session_, &Session::jobChanged, this, [this] { takeJob(); });
    connect(&session_, &Session::failed, this, [this](const QString& message) { showError(message); });
    connect(&session_, &Session::started, this, [this](const QString& what) {
        errors_->hide();
        work_->setText(what);
        progress_->setRange(0, 0);
        for (QWidget* widget :
             {static_cast<QWidget*>(work_), static_cast<QWidget*>(progress_), static_cast<QWidget*>(cancel_)})
            widget->show();
    });
    connect(&session_, &Session::progressed, this, [this](int percent) {
        progress_->setRange(0, percent < 0 ? 0 : 100);
        if (percent >= 0) progress_->setValue(percent);
    });
    connect(&session_, &Session::finished, this, [this] {
        for (QWidget* widget :
             {static_cast<QWidget*>(work_), static_cast<QWidget*>(progress_), static_cast<QWidget*>(cancel_)})
            widget->hide();
    });
    if (remember_) {
        const QSettings settings;
        restoreGeometry(settings.value("window/geometry").toByteArray());
        restoreState(settings.value("window/state").toByteArray());
        errors_->hide();
    }
    start_->setRecent(recent());
    showStart(true);
}

MainWindow::~MainWindow() {
    session_.disconnect(this);
}

void MainWindow::addView(const QString& name, QWidget* view) {
    auto* dock = new QDockWidget(name);
    dock->setObjectName(name);
    dock->setWidget(view);
    addDockWidget(Qt::TopDockWidgetArea, dock);
    if (!docks_.isEmpty()) tabifyDockWidget(docks_.front(), dock);
    docks_.push_back(dock);
}

void MainWindow::makeStatus() {
    work_ = new QLabel;
    progress_ = new QProgressBar;
    progress_->setMaximumWidth(220);
    progress_->setAccessibleName(tr("Progress"));
    cancel_ = new QToolButton;
    cancel_->setText(tr("Cancel"));
    connect(cancel_, &QToolButton::clicked, &session_, &Session::cancel);
    facts_ = new QLabel;
    for (QWidget* widget :
         {static_cast<QWidget*>(work_), static_cast<QWidget*>(progress_), static_cast<QWidget*>(cancel_)}) {
        statusBar()->addWidget(widget);
        widget->hide();
    }
    statusBar()->addPermanentWidget(facts_);
}

void MainWindow::makeMenus() {
    auto* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&Open…"), QKeySequence::Open, this, [this] { chooseFiles(); });
    auto* recentMenu = file->addMenu(tr("Open &recent"));
    connect(recentMenu, &QMenu::aboutToShow, this, [this, recentMenu] {
        recentMenu->clear();
        for (const auto& files : recent()) {
            recentMenu->addAction(files.join(" + "), this, [this, files] { session_.open(files); });
        }
        recentMenu->setToolTipsVisible(true);
    });
    file->addAction(tr("Open the &example"), this, [this] { openExample(); });
    file->addAction(tr("&Export report…"), QKeySequence(Qt::CTRL | Qt::Key_E), this, [this] { chooseExport(); });
    file->addAction(tr("&Start page"), this, [this] { showStart(true); });
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
    auto* view = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < docks_.size(); ++i) {
        const QString name = docks_[i]->objectName();
        view->addAction(name, QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)), this, [this, name] {
            showStart(false);
            showView(name);
        });
    }
    auto* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Keys"), QKeySequence(Qt::Key_F1), this, [this] {
        showStart(false);
        showView("Timeline");
        timeline_->showKeys();
    });
    auto* find = new QAction(this);
    find->setShortcut(QKeySequence::Find);
    connect(find, &QAction::triggered, this, [this] {
        showView("Timeline");
        if (timeline_->view().onSearch) timeline_->view().onSearch();
    });
    addAction(find);
}

QStringList MainWindow::viewNames() const {
    QStringList names;
    for (const auto* dock : docks_) names.push_back(dock->objectName());
    return names;
}

QWidget* MainWindow::showView(const QString& name) {
    for (auto* dock : docks_) {
        if (dock->objectName() != name) continue;
        dock->show();
        dock->raise();
        dock->widget()->setFocus();
        if (name == "Timeline") timeline_->view().setFocus();
        return dock->widget();
    }
    return nullptr;
}

void MainWindow::showStart(bool start) {
    if (!start && start_->isHidden()) return;  // docks stay as the user has arranged them
    start_->setVisible(start);
    for (auto* dock : docks_) dock->setVisible(!start);
}

void MainWindow::takeJob() {
    const Job* job = session_.job();
    if (job == nullptr) return;
    setWindowTitle(tr("%1 – Orrery").arg(text(job->title)));
    facts_->setText(factsOf(*job));
    QStringList files;
    for (const auto& file : job->files) files.push_back(QFileInfo(text(file.string())).absoluteFilePath());
    if (!files.isEmpty()) remember(files);
    const bool planOnly = files.isEmpty() && !start_->isVisible();
    showStart(false);
    const bool timeless = job->measured.empty() && job->predicted.empty();
    if (!planOnly) showView(timeless ? "Roofline" : "Timeline");
    if (!job->warnings.empty()) {
        const auto more = job->warnings.size() - 1;
        QString note = text(job->warnings.front());
        if (more > 0) note += tr("  (and %1 more: see Report)").arg(more);
        showError(note);
    }
}

void MainWindow::openExample() {
    try {
        session_.open({text(exampleFile().string())});
    } catch (const InputError& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void showProblem(const QWidget* from, const QString& message) {
    if (auto* window = dynamic_cast<MainWindow*>(from->window())) window->showError(message);
}

void MainWindow::chooseFiles() {
    const QStringList files = QFileDialog::getOpenFileNames(
        this, tr("Open recordings, a scenario, or both"), {},
        tr("Everything Orrery reads (*.db *.toml *.json *.gz *.sqlite *.txt);;All files (*)"));
    if (!files.isEmpty()) session_.open(files);
}

void MainWindow::chooseExport() {
    if (session_.job() == nullptr) return showError(tr("Nothing is open that could be exported"));
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Export report"), "report.html",
                                     tr("Report (*.html *.pdf);;Table (*.csv *.json);;Picture (*.png);;"
                                        "Perfetto trace (*.pftrace)"));
    if (file.isEmpty()) return;
    try {
        exportReport(*session_.job(), file.toStdString());
        statusBar()->showMessage(tr("Written: %1").arg(file), 8000);
    } catch (const InputError& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::showError(const QString& message) {
    error_->setText(message);
    error_->setAccessibleName(message);
    errors_->show();
    fitError();
}

void MainWindow::fitError() {
    // A label that wraps asks for the room of a narrow one; the bar is as wide as the window.
    if (error_->text().isEmpty()) return;
    const int room = std::max(200, width() - 140);
    error_->setFixedHeight(std::min(120, error_->heightForWidth(room)));
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    fitError();
}

QString MainWindow::errorText() const {
    return errors_->isHidden() ? QString() : error_->text();
}

QString MainWindow::statusText() const {
    return facts_->text();
}

QList<QStringList> MainWindow::recent() const {
    QList<QStringList> jobs;
    if (!remember_) return jobs;
    for (const auto& entry : QSettings().value("recent").toStringList()) jobs.push_back(entry.split('\n'));
    return jobs;
}

void MainWindow::remember(const QStringList& files) {
    if (!remember_ || files.front().startsWith(QDir::tempPath() + "/orrery-gui-")) return;
    QStringList entries = QSettings().value("recent").toStringList();
    entries.removeAll(files.join('\n'));
    entries.push_front(files.join('\n'));
    QSettings().setValue("recent", entries.mid(0, kRecentJobs));
    start_->setRecent(recent());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList files;
    for (const auto& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) files.push_back(url.toLocalFile());
    }
    if (files.isEmpty()) return showError(tr("Only files of this machine can be dropped"));
    session_.open(files);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    session_.cancel();
    if (remember_ && start_->isHidden()) {
        QSettings settings;
        settings.setValue("window/geometry", saveGeometry());
        settings.setValue("window/state", saveState());
    }
    QMainWindow::closeEvent(event);
}

}  // namespace orrery::gui
