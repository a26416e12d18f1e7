#include "gui/timeline/legend.hpp"

#include <QPainter>
#include <algorithm>
#include <array>
#include <set>

#include "gui/style/texts.hpp"
#include "gui/timeline/span_painter.hpp"

namespace orrery::gui {
namespace {

constexpr std::size_t kMostLooked = 200000;  ///< spans; a sample shows which kinds there are
constexpr int kHeight = 24, kSwatch = 14;

}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
    setFixedHeight(kHeight);
    setAccessibleName(tr("Legend of colours and patterns"));
}

void Legend::setSides(const TimelineSide& predicted, const TimelineSide& measured) {
    std::set<Phase> phases;
    std::set<OpClass> classes;
    std::set<std::string> waits;
    for (const TimelineSide* side : {&predicted, &measured}) {
        if (side->empty()) continue;
        const std::size_t stride = std::max<std::size_t>(1, side->timeline->size() / kMostLooked);
        for (std::size_t row = 0; row < side->timeline->size(); row += stride) {
            const Span span = side->timeline->span(row);
            const Lane lane = side->timeline->tracks[span.track].lane;
            if (span.phase == Phase::wait) {
                waits.emplace(side->timeline->names.text(span.name));
            } else if (lane == Lane::task || (lane == Lane::comm && span.phase != Phase::other)) {
                phases.insert(span.phase);
            } else if (lane != Lane::step) {
                classes.insert(span.cls);
            }
        }
    }
    entries_.clear();
    for (const auto& wait : waits) {
        entries_.push_back({text(wait), Phase::wait, OpClass::other, waitPattern(wait)});
    }
    const auto isComm = [](Phase phase) { return phase >= Phase::gradReduce && phase <= Phase::pipelineComm; };
    for (const Phase phase : phases) {
        entries_.push_back(
            {text(name(phase)), phase, OpClass::other, isComm(phase) ? Pattern::dotted : Pattern::solid});
    }
    for (const OpClass cls : classes) {
        entries_.push_back({text(name(cls)), Phase::other, cls, isCollective(cls) ? Pattern::dotted : Pattern::solid});
    }
    update();
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Palette& palette = paletteFor(this->palette());
    int x = 10;
    for (const auto& entry : entries_) {
        const int wide = fontMetrics().horizontalAdvance(entry.name);
        if (x + kSwatch + 6 + wide > width()) break;
        QImage swatch(kSwatch, kSwatch, QImage::Format_RGB32);
        const bool wait = entry.phase == Phase::wait;
        const QRgb ground = wait ? palette.hatchGround : palette.fill(Lane::task, entry.phase, entry.cls);
        fillPattern(swatch, 0, 0, kSwatch, kSwatch, ground, wait ? palette.hatchLine : 0xffffffff, entry.pattern);
        painter.drawImage(x, (kHeight - kSwatch) / 2, swatch);
        painter.setPen(QColor::fromRgb(palette.text));
        painter.drawText(QRect(x + kSwatch + 5, 0, wide + 2, kHeight), Qt::AlignVCenter, entry.name);
        x += kSwatch + 5 + wide + 16;
    }
}

}  // namespace orrery::gui
