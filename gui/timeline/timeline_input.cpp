// Mouse and keys of the timeline view.
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/timeline/timeline_view.hpp"
#include "gui/timeline/view_layout.hpp"

namespace orrery::gui {

void TimelineView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint turned = event->angleDelta();
    const double clicks = (turned.y() != 0 ? turned.y() : turned.x()) / 120.0;
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoomBy(std::pow(0.8, clicks), timeAt(event->position().x()));
    } else if (event->modifiers().testFlag(Qt::ShiftModifier) || turned.y() == 0) {
        pan(-0.1 * clicks);
    } else {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(3 * clicks * Scene::kRowHeight));
        layOut();
    }
    event->accept();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    pressed_ = last_ = event->pos();
    moved_ = false;
    pressedTime_ = timeAt(pressed_.x());
    const bool inSteps = pressed_.y() < head() - view_layout::kRuler;
    if (event->button() == Qt::MiddleButton) {
        drag_ = Drag::zoom;
    } else if (event->button() == Qt::LeftButton && pressed_.x() < view_layout::kGutter) {
        const SceneRow* row = scene_.at(pressed_.y() - head() + view_.top);
        if (row != nullptr && row->header) scene_.toggle(row->rank);
        layOut();
    } else if (event->button() == Qt::LeftButton) {
        const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
        drag_ = inSteps ? Drag::steps : shift ? Drag::pan : Drag::area;
    }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint before = last_;
    last_ = event->pos();
    if (drag_ == Drag::none) return;
    moved_ = moved_ || (last_ - pressed_).manhattanLength() >= view_layout::kClick;
    if (!moved_) return;
    if (drag_ == Drag::pan) {
        const double by = (before.x() - last_.x()) * (view_.to - view_.from) / plotWidth();
        zoomTo(view_.from + by, view_.to + by, false);
        verticalScrollBar()->setValue(verticalScrollBar()->value() + before.y() - last_.y());
        layOut();
    } else if (drag_ == Drag::area || drag_ == Drag::zoom) {
        const double time = timeAt(std::max(last_.x(), view_layout::kGutter));
        session_.setRange({static_cast<std::int64_t>(std::min(time, pressedTime_)),
                           static_cast<std::int64_t>(std::max(time, pressedTime_))});
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = drag_;
    drag_ = Drag::none;
    if (drag == Drag::zoom && moved_) {
        const TimeRange range = session_.range();
        session_.setRange({});
        if (!range.empty()) zoomTo(static_cast<double>(range.begin), static_cast<double>(range.end));
    } else if (drag == Drag::steps && !moved_) {
        const Job* job = session_.job();
        const auto index = static_cast<std::size_t>((event->pos().x() - view_layout::kGutter) *
                                                    static_cast<int>(job->steps.size()) / plotWidth());
        if (index < job->steps.size()) {
            session_.setStep(job->steps[index].step);
            fitStep(session_.step());
        }
    } else if (drag == Drag::area && !moved_) {
        session_.setRange({});
        session_.select(spanAt(event->pos()).value_or(Selection{}));
    }
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || event->pos().y() < head()) return;
    if (const auto span = spanAt(event->pos())) {
        session_.select(*span);
        fitSelection();
    }
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const auto span = spanAt(help->pos())) {
        QToolTip::showText(help->globalPos(), tipFor(*span), viewport());
    } else {
        QToolTip::hideText();
    }
    return true;
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const double pointer = last_.x() > view_layout::kGutter ? timeAt(last_.x()) : (view_.from + view_.to) / 2;
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    const bool alt = event->modifiers().testFlag(Qt::AltModifier);
    switch (event->key()) {
        case Qt::Key_W:
        case Qt::Key_Plus:
            return zoomBy(0.75, pointer);
        case Qt::Key_S:
        case Qt::Key_Minus:
            return zoomBy(1 / 0.75, pointer);
        case Qt::Key_A:
            return pan(-0.15);
        case Qt::Key_D:
            return pan(0.15);
        case Qt::Key_Left:
            return alt ? undoZoom() : pan(-0.15);
        case Qt::Key_Right:
            return pan(0.15);
        case Qt::Key_Backspace:
            return undoZoom();
        case Qt::Key_F:
            return fitSelection();
        case Qt::Key_Home:
            return fitAll();
        case Qt::Key_R:
            if (session_.selection().row >= 0) session_.setRange(extentOf(session_.selection()));
            return;
        case Qt::Key_M:
            return toggleMark();
        case Qt::Key_Delete:
            marks_.clear();
            return viewport()->update();
        case Qt::Key_C:
            return showCounterpart();
        case Qt::Key_Period:
            return selectNeighbour(true);
        case Qt::Key_Comma:
            return selectNeighbour(false);
        case Qt::Key_BracketRight:
            return followFlow(true);
        case Qt::Key_BracketLeft:
            return followFlow(false);
        case Qt::Key_E:
            scene_.setAllFolded(shift);
            return layOut();
        case Qt::Key_Escape:
            session_.setRange({});
            return session_.select({});
        case Qt::Key_Slash:
            if (onSearch) onSearch();
            return;
        case Qt::Key_Question:
            if (onHelp) onHelp();
            return;
        case Qt::Key_Up:
        case Qt::Key_Down: {
            const int by = event->key() == Qt::Key_Up ? -Scene::kRowHeight : Scene::kRowHeight;
            verticalScrollBar()->setValue(verticalScrollBar()->value() + 2 * by);
            return layOut();
        }
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

}  // namespace orrery::gui
