#include "gui/timeline/timeline_panel.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "gui/style/texts.hpp"
#include "gui/timeline/legend.hpp"
#include "gui/views/figure_table.hpp"
#include "model/compare/counterparts.hpp"
#include "model/timeline/range_totals.hpp"
#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

QString row(const QString& name, const QString& value) {
    return QStringLiteral("<tr><td style='padding-right:18px'>%1</td><td>%2</td></tr>")
        .arg(name, value.toHtmlEscaped());
}

QString sideName(Side side) {
    return side == Side::predicted ? QObject::tr("predicted") : QObject::tr("measured");
}

QLabel* textPage() {
    auto* label = new QLabel;
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setMargin(10);
    label->setWordWrap(true);
    return label;
}

QScrollArea* scrolling(QWidget* content) {
    auto* area = new QScrollArea;
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    return area;
}

}  // namespace

QList<QPair<QString, QString>> timelineKeys() {
    return {{"W / S", "zoom in / out about the mouse"},
            {"A / D", "move left / right"},
            {"Ctrl + wheel, middle drag", "zoom at the mouse, zoom into what is dragged over"},
            {"wheel, Shift + wheel, Shift + drag", "scroll tracks, move in time"},
            {"click, double click", "select a span, zoom to it"},
            {"drag", "measure a range: table by name below"},
            {"F", "zoom to the selection, or to everything"},
            {"Home", "everything"},
            {"R", "selection becomes the measured range"},
            {"M, Delete", "mark the range (again: unmark), remove all marks"},
            {". / ,", "next / previous span of the row"},
            {"] / [", "along the flow to the next / previous pipeline stage"},
            {"C", "the same work on the other side, predicted or measured"},
            {"/ or Ctrl+F", "search: words, stage:1, mb:3, rank:0, step:2, phase:forward, class:gemm"},
            {"Enter / Shift+Enter", "next / previous match"},
            {"E / Shift+E", "unfold / fold all ranks; click on a rank folds it"},
            {"Backspace, Alt+Left", "undo the zoom"},
            {"Esc", "clear selection and range"},
            {"?", "this list"}};
}

TimelinePanel::TimelinePanel(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    view_ = new TimelineView(session_);
    details_ = textPage();
    details_->setAccessibleName(tr("Selected span"));
    range_ = new FigureTable;
    range_->setAccessibleName(tr("Spans of the measured range by name"));
    auto* help = textPage();
    QString keys = QStringLiteral("<table>");
    for (const auto& [key, what] : timelineKeys()) keys += row(QStringLiteral("<b>%1</b>").arg(key), what);
    help->setText(keys + QStringLiteral("</table>"));
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->addTab(scrolling(details_), tr("Selection"));
    tabs_->addTab(range_, tr("Range"));
    tabs_->addTab(scrolling(help), tr("Keys"));
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(view_);
    splitter->addWidget(tabs_);
    splitter->setStretchFactor(0, 4);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({620, 190});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    legend_ = new Legend;
    layout->addWidget(legend_);
    layout->addWidget(splitter, 1);
    view_->onSearch = [this] {
        search_->setFocus();
        search_->selectAll();
    };
    view_->onHelp = [this] { showKeys(); };
    connect(&session_, &Session::selectionChanged, this, [this] { showSelection(); });
    connect(&session_, &Session::rangeChanged, this, [this] { showRange(); });
    connect(&session_, &Session::searchChanged, this, [this] {
        if (search_->text() != session_.search()) search_->setText(session_.search());
        showCount();
    });
    connect(&session_, &Session::jobChanged, this, [this] {
        search_->clear();
        legend_->setSides(session_.side(Side::predicted), session_.side(Side::measured));
        showSelection();
        showRange();
        showCount();
        tabs_->setCurrentIndex(0);
    });
    showSelection();
    showRange();
}

QWidget* TimelinePanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 4, 8, 4);
    search_ = new QLineEdit;
    search_->setPlaceholderText(tr("Search ( / ): gemm, wait, stage:1, mb:3, phase:backward, class:attention"));
    search_->setAccessibleName(tr("Search the timeline"));
    search_->setClearButtonEnabled(true);
    search_->setMaximumWidth(520);
    found_ = new QLabel;
    layout->addWidget(search_, 2);
    layout->addWidget(found_, 1);
    layout->addStretch(1);
    const auto button = [&](const QString& name, const QString& tip, auto action) {
        auto* made = new QPushButton(name);
        made->setToolTip(tip);
        made->setFocusPolicy(Qt::TabFocus);
        connect(made, &QPushButton::clicked, this, action);
        layout->addWidget(made);
    };
    button(tr("All"), tr("Show everything (Home)"), [this] { view_->fitAll(); });
    button(tr("Step"), tr("Show the chosen step"), [this] { view_->fitStep(session_.step()); });
    button(tr("Undo zoom"), tr("Backspace"), [this] { view_->undoZoom(); });
    button(tr("Keys"), tr("?"), [this] { showKeys(); });
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) { session_.setSearch(text); });
    connect(search_, &QLineEdit::returnPressed, this, [this] { view_->findNext(true); });
    auto* back = new QAction(search_);
    back->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_Return));
    back->setShortcutContext(Qt::WidgetShortcut);
    connect(back, &QAction::triggered, this, [this] { view_->findNext(false); });
    search_->addAction(back);
    auto* leave = new QAction(search_);
    leave->setShortcut(QKeySequence(Qt::Key_Escape));
    leave->setShortcutContext(Qt::WidgetShortcut);
    connect(leave, &QAction::triggered, this, [this] {
        search_->clear();
        view_->setFocus();
    });
    search_->addAction(leave);
    return bar;
}

QString TimelinePanel::details() const {
    return details_->text();
}

void TimelinePanel::showKeys() {
    tabs_->setCurrentIndex(2);
}

void TimelinePanel::showSelection() {
    const Selection selection = session_.selection();
    const Timeline* data = session_.side(selection.side).timeline.get();
    if (data == nullptr || selection.row < 0) {
        details_->setText(
            tr("Nothing is selected. Click on a span, or drag over a stretch of time to measure it; ? lists "
               "all keys."));
        return;
    }
    const auto index = static_cast<std::size_t>(selection.row);
    const Span span = data->span(index);
    const Track& track = data->tracks[span.track];
    QString out = QStringLiteral("<b>%1</b> (%2)<table>")
                      .arg(text(data->names.text(span.name)).toHtmlEscaped(), sideName(selection.side));
    out += row(tr("duration"), durationText(span.duration));
    out += row(tr("start"),
               axisText(span.start + session_.offset(selection.side) - session_.offset(Side::predicted), 1000));
    const Side otherSide = selection.side == Side::predicted ? Side::measured : Side::predicted;
    if (const Timeline* other = session_.side(otherSide).timeline.get(); other != nullptr) {
        const int step = otherSide == Side::measured ? session_.step() : -1;
        if (const auto found = counterpartOf(*data, index, *other, step)) {
            const Span same = other->span(*found);
            const double mine = static_cast<double>(span.duration);
            const double its = static_cast<double>(same.duration);
            const double predicted = otherSide == Side::predicted ? its : mine;
            const double measured = otherSide == Side::predicted ? mine : its;
            out += row(sideName(otherSide), durationText(same.duration));
            if (measured > 0) {
                TimeRow both{"", Seconds(predicted), Seconds(measured)};
                out += row(tr("predicted is"), text(percentText(both.errorPercent())) + tr(" off the measured"));
            }
        } else {
            out += row(sideName(otherSide), tr("no counterpart"));
        }
    }
    out += row(tr("phase, class"), text(name(span.phase)) + ", " + text(name(span.cls)));
    out += row(tr("rank"), QString::number(track.rank));
    if (span.stage >= 0) out += row(tr("stage"), QString::number(span.stage));
    if (span.microBatch >= 0) out += row(tr("micro-batch"), QString::number(span.microBatch));
    if (span.step >= 0) out += row(tr("step"), QString::number(span.step));
    details_->setText(out + QStringLiteral("</table>"));
    tabs_->setCurrentIndex(0);
}

void TimelinePanel::showRange() {
    const TimeRange range = session_.range();
    if (range.empty()) {
        range_->setFigures({tr("No range is measured: drag over the timeline, or press R on a selected span")}, {});
        return;
    }
    const auto length = static_cast<double>(range.end - range.begin);
    std::vector<std::vector<Cell>> rows;
    for (const Side side : {Side::predicted, Side::measured}) {
        const Timeline* data = session_.side(side).timeline.get();
        if (data == nullptr) continue;
        const auto offset = session_.offset(side);
        for (const auto& total : rangeTotals(*data, range.begin - offset, range.end - offset)) {
            if (rows.size() >= 2000) break;
            rows.push_back({text(data->names.text(total.name)),
                            text(name(total.lane)),
                            sideName(side),
                            {countText(total.count), static_cast<double>(total.count)},
                            {durationText(total.total), static_cast<double>(total.total)},
                            {durationText(static_cast<std::int64_t>(total.mean())), total.mean()},
                            {durationText(total.most), static_cast<double>(total.most)},
                            {shareText(static_cast<double>(total.total) / length), static_cast<double>(total.total)}});
        }
    }
    range_->setFigures(
        {tr("name"), tr("lane"), tr("side"), tr("count"), tr("total"), tr("mean"), tr("longest"), tr("of the range")},
        rows);
    range_->sortItems(4, Qt::DescendingOrder);
    tabs_->setCurrentIndex(1);
}

void TimelinePanel::showCount() {
    if (!view_->filter().active()) {
        found_->clear();
        return;
    }
    const auto count = view_->filter().count(session_.side(Side::predicted), session_.side(Side::measured));
    found_->setText(count == 0 ? tr("nothing found") : tr("%1 spans · Enter: next").arg(countText(count)));
}

}  // namespace orrery::gui
