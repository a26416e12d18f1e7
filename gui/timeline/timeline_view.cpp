#include "gui/timeline/timeline_view.hpp"

#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "gui/style/texts.hpp"
#include "gui/timeline/view_layout.hpp"
#include "model/compare/counterparts.hpp"

namespace orrery::gui {

TimelineView::TimelineView(Session& session, QWidget* parent) : QAbstractScrollArea(parent), session_(session) {
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Timeline"));
    setAccessibleDescription(tr("Spans of all ranks over time; W and S zoom, A and D pan, ? lists all keys"));
    const auto repaint = [this] { viewport()->update(); };
    connect(&session_, &Session::jobChanged, this, [this] { takeJob(); });
    connect(&session_, &Session::selectionChanged, this, repaint);
    connect(&session_, &Session::rangeChanged, this, repaint);
    connect(&session_, &Session::stepChanged, this, [this] {
        scene_.setOffset(session_.offset(Side::predicted));
        fitStep(session_.step());
    });
    connect(&session_, &Session::searchChanged, this, [this, repaint] {
        filter_ = SpanFilter(session_.search(), session_.side(Side::predicted), session_.side(Side::measured));
        repaint();
    });
    takeJob();
}

void TimelineView::takeJob() {
    history_.clear();
    marks_.clear();
    filter_ = {};
    flowsKnown_ = {};
    flows_ = {};
    scene_.setSides(session_.side(Side::predicted), session_.side(Side::measured));
    scene_.setOffset(session_.offset(Side::predicted));
    view_.top = 0;
    const bool compared = !session_.side(Side::predicted).empty() && session_.step() >= 0;
    if (compared) {
        fitStep(session_.step());
    } else {
        fitAll();
    }
    history_.clear();
    layOut();
}

void TimelineView::layOut() {
    const int hidden = std::max(0, scene_.height() - plotHeight());
    verticalScrollBar()->setRange(0, hidden);
    verticalScrollBar()->setPageStep(std::max(1, plotHeight()));
    verticalScrollBar()->setSingleStep(Scene::kRowHeight);
    view_.top = verticalScrollBar()->value();
    viewport()->update();
}

int TimelineView::head() const {
    const bool hasSteps = session_.job() != nullptr && session_.job()->steps.size() > 1;
    return view_layout::kRuler + (hasSteps ? view_layout::kStepBar : 0);
}
int TimelineView::plotWidth() const {
    return std::max(1, viewport()->width() - view_layout::kGutter);
}
int TimelineView::plotHeight() const {
    return std::max(1, viewport()->height() - head());
}
double TimelineView::timeAt(double x) const {
    return view_.time(x - view_layout::kGutter, plotWidth());
}
int TimelineView::xOf(double time) const {
    const double x = view_layout::kGutter + view_.x(time, plotWidth());
    return static_cast<int>(std::clamp(x, -1e6, 1e6));
}

void TimelineView::zoomTo(double from, double to, bool remember) {
    const TimeRange all = scene_.extent();
    const double whole = static_cast<double>(all.end - all.begin);
    const double least = std::min(whole, std::max(20.0, whole * 1e-9));
    double length = std::clamp(to - from, least, whole * 1.2);
    from = std::clamp(from + (to - from - length) / 2, static_cast<double>(all.begin) - whole * 0.1,
                      static_cast<double>(all.end) + whole * 0.1 - length);
    if (remember) {
        history_.emplace_back(view_.from, view_.to);
        if (history_.size() > 200) history_.erase(history_.begin());
    }
    view_.from = from;
    view_.to = from + length;
    viewport()->update();
}

void TimelineView::zoomBy(double factor, double at) {
    zoomTo(at - (at - view_.from) * factor, at + (view_.to - at) * factor);
}

void TimelineView::pan(double share) {
    const double by = (view_.to - view_.from) * share;
    zoomTo(view_.from + by, view_.to + by, false);
}

void TimelineView::fitAll() {
    const TimeRange all = scene_.extent();
    const double room = static_cast<double>(all.end - all.begin) * 0.01;
    zoomTo(static_cast<double>(all.begin) - room, static_cast<double>(all.end) + room);
}

void TimelineView::fitStep(int step) {
    if (session_.job() == nullptr) return;
    for (const auto& extent : session_.job()->steps) {
        if (extent.step != step) continue;
        std::int64_t end = extent.end;
        if (const Timeline* predicted = timeline(Side::predicted)) {
            end = std::max(end, extent.begin + predicted->extent().second);
        }
        const double room = static_cast<double>(end - extent.begin) * 0.01;
        zoomTo(static_cast<double>(extent.begin) - room, static_cast<double>(end) + room);
    }
}

void TimelineView::fitSelection() {
    TimeRange wanted = session_.range();
    if (session_.selection().row >= 0) {
        wanted = extentOf(session_.selection());
        const auto room = std::max<std::int64_t>(10, (wanted.end - wanted.begin) / 2);
        wanted = {wanted.begin - room, wanted.end + room};
    }
    if (wanted.empty()) return fitAll();
    zoomTo(static_cast<double>(wanted.begin), static_cast<double>(wanted.end));
}

void TimelineView::undoZoom() {
    if (history_.empty()) return;
    const auto [from, to] = history_.back();
    history_.pop_back();
    zoomTo(from, to, false);
}

TimeRange TimelineView::extentOf(const Selection& selection) const {
    const Timeline* data = timeline(selection.side);
    if (data == nullptr || selection.row < 0) return {};
    const Span span = data->span(static_cast<std::size_t>(selection.row));
    const auto offset = session_.offset(selection.side);
    return {span.start + offset, span.end() + offset};
}

void TimelineView::reveal(const Selection& selection) {
    const TimeRange extent = extentOf(selection);
    if (extent.begin == 0 && extent.end == 0) return;
    if (const SceneRow* row = scene_.reveal(selection.side, static_cast<std::uint32_t>(selection.row))) {
        layOut();
        const int y = row->y;
        if (y < view_.top || y + row->height > view_.top + plotHeight()) {
            verticalScrollBar()->setValue(std::max(0, y - plotHeight() / 2));
            layOut();
        }
    }
    const double middle = static_cast<double>(extent.begin + extent.end) / 2;
    const double length = std::max(view_.to - view_.from, static_cast<double>(extent.end - extent.begin) * 1.2);
    const bool outside = static_cast<double>(extent.begin) < view_.from || static_cast<double>(extent.end) > view_.to;
    if (outside) zoomTo(middle - length / 2, middle + length / 2);
    session_.select(selection);
}

void TimelineView::findNext(bool forward) {
    if (!filter_.active()) return;
    const bool any = session_.selection().row >= 0;
    const std::int64_t edge =
        forward ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    const std::int64_t from = any ? extentOf(session_.selection()).begin : edge;
    using Place = std::tuple<std::int64_t, int, std::int64_t>;  // start, side, row
    const Place current{from, static_cast<int>(session_.selection().side), any ? session_.selection().row : -1};
    std::optional<Place> best, extreme;
    const auto closer = [forward](const Place& a, const Place& b) { return forward ? a < b : b < a; };
    for (const Side side : {Side::predicted, Side::measured}) {
        const Timeline* data = timeline(side);
        if (data == nullptr) continue;
        for (std::size_t row = 0; row < data->size(); ++row) {
            const Span span = data->span(row);
            if (!filter_.matches(side, *data, span)) continue;
            const Place place{span.start + session_.offset(side), static_cast<int>(side),
                              static_cast<std::int64_t>(row)};
            if ((!any || closer(current, place)) && (!best || closer(place, *best))) best = place;
            if (!extreme || closer(place, *extreme)) extreme = place;
        }
    }
    if (!best) best = extreme;  // round again
    if (best) reveal({static_cast<Side>(std::get<1>(*best)), std::get<2>(*best)});
}

const std::vector<Flow>& TimelineView::flows(Side side) {
    const auto index = static_cast<std::size_t>(side);
    if (!flowsKnown_[index] && timeline(side) != nullptr) flows_[index] = pipelineFlows(*timeline(side));
    flowsKnown_[index] = true;
    return flows_[index];
}

void TimelineView::followFlow(bool forward) {
    const Selection selection = session_.selection();
    if (selection.row < 0) return;
    for (const auto& flow : flows(selection.side)) {
        const auto here = static_cast<std::int64_t>(forward ? flow.from : flow.to);
        if (here == selection.row)
            return reveal({selection.side, static_cast<std::int64_t>(forward ? flow.to : flow.from)});
    }
}

void TimelineView::showCounterpart() {
    const Selection selection = session_.selection();
    const Side other = selection.side == Side::predicted ? Side::measured : Side::predicted;
    if (selection.row < 0 || timeline(other) == nullptr || timeline(selection.side) == nullptr) return;
    const int step = other == Side::measured ? session_.step() : -1;
    const auto row =
        counterpartOf(*timeline(selection.side), static_cast<std::size_t>(selection.row), *timeline(other), step);
    if (row) reveal({other, static_cast<std::int64_t>(*row)});
}

void TimelineView::selectNeighbour(bool next) {
    const Selection selection = session_.selection();
    if (selection.row < 0) return;
    const SceneRow* row = scene_.reveal(selection.side, static_cast<std::uint32_t>(selection.row));
    if (row == nullptr) return;
    const auto& sources = scene_.side(selection.side).data.index->rows()[row->index].source;
    const auto here = std::find(sources.begin(), sources.end(), static_cast<std::uint32_t>(selection.row));
    if (here == sources.end() || (!next && here == sources.begin()) || (next && here + 1 == sources.end())) return;
    reveal({selection.side, next ? *(here + 1) : *(here - 1)});
}

void TimelineView::toggleMark() {
    TimeRange range = session_.range();
    if (range.empty() && session_.selection().row >= 0) range = extentOf(session_.selection());
    if (range.empty()) return;
    const auto found = std::find(marks_.begin(), marks_.end(), range);
    if (found != marks_.end()) {
        marks_.erase(found);
    } else {
        marks_.push_back(range);
    }
    session_.setRange(range);
    viewport()->update();
}

std::optional<Selection> TimelineView::spanAt(const QPoint& point) const {
    if (point.x() < view_layout::kGutter || point.y() < head()) return std::nullopt;
    const SceneRow* row = scene_.at(point.y() - head() + view_.top);
    if (row == nullptr || row->header) return std::nullopt;
    const SceneSide& side = scene_.side(row->side);
    const double nsPerPixel = (view_.to - view_.from) / plotWidth();
    const auto time = static_cast<std::int64_t>(timeAt(point.x())) - side.offset;
    const auto source = side.data.index->at(row->index, time, static_cast<std::int64_t>(2 * nsPerPixel));
    if (source < 0) return std::nullopt;
    return Selection{row->side, source};
}

}  // namespace orrery::gui
