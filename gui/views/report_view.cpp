// The report: preview, and export in every format.
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "gui/report/export_report.hpp"
#include "gui/report/report_text.hpp"
#include "gui/session/session.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/views.hpp"
#include "model/units/input_error.hpp"

namespace orrery::gui {
namespace {

class ReportView : public QWidget {
  public:
    explicit ReportView(Session& session) : session_(session) {
        auto* bar = new QHBoxLayout;
        bar->setContentsMargins(12, 8, 12, 4);
        bar->addWidget(new QLabel(tr("Export:")));
        for (const QString kind : {"HTML", "PDF", "CSV", "JSON", "PNG", "PFTRACE"}) {
            auto* button = new QPushButton(kind == "PFTRACE" ? tr("Perfetto")
                                           : kind == "PNG"   ? tr("PNG of the timeline")
                                                             : kind);
            connect(button, &QPushButton::clicked, this, [this, kind] { save(kind.toLower()); });
            bar->addWidget(button);
        }
        done_ = new QLabel;
        bar->addWidget(done_, 1);
        text_ = new QTextBrowser;
        text_->setAccessibleName(tr("Report"));
        text_->setFrameShape(QFrame::NoFrame);
        text_->document()->setDocumentMargin(16);
        auto* content = new QWidget;
        auto* inner = new QVBoxLayout(content);
        inner->setContentsMargins(0, 0, 0, 0);
        inner->addLayout(bar);
        inner->addWidget(text_, 1);
        empty_ = new EmptyState(content);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(empty_);
        connect(&session_, &Session::jobChanged, this, [this] { takeJob(); });
        takeJob();
    }

  private:
    void takeJob() {
        if (session_.job() == nullptr) return empty_->showReason(tr("Open a recording or a scenario to report on it"));
        empty_->showContent();
        done_->clear();
        text_->setHtml(reportText(*session_.job(), false));
    }

    void save(const QString& suffix) {
        const QString file = QFileDialog::getSaveFileName(this, tr("Export"), "report." + suffix);
        if (file.isEmpty()) return;
        try {
            exportReport(*session_.job(), file.toStdString());
            done_->setText(tr("Written: %1").arg(file));
        } catch (const InputError& error) {
            session_.fail(QString::fromUtf8(error.what()));
        }
    }

    Session& session_;
    QLabel* done_;
    QTextBrowser* text_;
    EmptyState* empty_;
};

}  // namespace

QWidget* makeReportView(Session& session) {
    return new ReportView(session);
}

}  // namespace orrery::gui
