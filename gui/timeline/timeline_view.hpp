// The timeline: ranks and lanes down, time across, predicted above measured. Keys and gestures are Perfetto's
// (docs/gui.md). What is visible comes from Scene and RowIndex; pixels from span_painter; this adds labels and input.
#pragma once

#include <QAbstractScrollArea>
#include <QImage>
#include <functional>
#include <optional>
#include <vector>

#include "gui/session/session.hpp"
#include "gui/timeline/scene.hpp"
#include "gui/timeline/span_filter.hpp"
#include "gui/timeline/span_painter.hpp"
#include "report/trace/lanes.hpp"

namespace orrery::gui {

class TimelineView : public QAbstractScrollArea {
  public:
    explicit TimelineView(Session& session, QWidget* parent = nullptr);

    /// Shows [from, to) ns; with `remember` the range before can be had back with undoZoom().
    void zoomTo(double from, double to, bool remember = true);
    void zoomBy(double factor, double at);
    void fitAll();
    void fitStep(int step);
    /// The selected span or range with some room around it; everything when nothing is selected.
    void fitSelection();
    void undoZoom();
    /// Selects the next (or previous) span that matches the search, and brings it into view.
    void findNext(bool forward);
    /// Follows a micro-batch to the next (or previous) pipeline stage.
    void followFlow(bool forward);
    /// The same work on the other side.
    void showCounterpart();
    void reveal(const Selection& selection);
    [[nodiscard]] const View& view() const { return view_; }
    [[nodiscard]] const Scene& scene() const { return scene_; }
    [[nodiscard]] const SpanFilter& filter() const { return filter_; }
    [[nodiscard]] const std::vector<TimeRange>& marks() const { return marks_; }
    [[nodiscard]] std::optional<Selection> spanAt(const QPoint& point) const;
    /// Keys that the panel around it answers: '/' and '?'.
    std::function<void()> onSearch, onHelp;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

  private:
    enum class Drag { none, area, pan, zoom, steps };

    void takeJob();
    void layOut();
    void selectNeighbour(bool next);
    void toggleMark();
    void pan(double share);
    [[nodiscard]] int plotWidth() const;
    [[nodiscard]] int plotHeight() const;
    [[nodiscard]] int head() const;  ///< height of step bar and ruler
    [[nodiscard]] double timeAt(double x) const;
    [[nodiscard]] int xOf(double time) const;
    [[nodiscard]] const Timeline* timeline(Side side) const { return session_.side(side).timeline.get(); }
    /// A span's extent on the shared axis.
    [[nodiscard]] TimeRange extentOf(const Selection& selection) const;
    [[nodiscard]] QRect boxOf(const Selection& selection) const;

    void paintGutter(QPainter& painter, const Palette& palette) const;
    void paintRuler(QPainter& painter, const Palette& palette) const;
    void paintSteps(QPainter& painter, const Palette& palette) const;
    void paintLabels(QPainter& painter) const;
    void paintRanges(QPainter& painter, const Palette& palette) const;
    void paintSelection(QPainter& painter, const Palette& palette) const;
    void paintEmpty(QPainter& painter, const Palette& palette) const;
    [[nodiscard]] QString tipFor(const Selection& selection) const;

    Session& session_;
    Scene scene_;
    View view_;
    SpanFilter filter_;
    std::vector<std::pair<double, double>> history_;
    std::vector<TimeRange> marks_;
    std::vector<LabelPlace> labels_;
    QImage image_;
    std::array<std::vector<Flow>, 2> flows_;
    std::array<bool, 2> flowsKnown_{};
    const std::vector<Flow>& flows(Side side);
    Drag drag_ = Drag::none;
    QPoint pressed_, last_;
    bool moved_ = false;
    double pressedTime_ = 0.0;
};

}  // namespace orrery::gui
