#include "gui/timeline/span_painter.hpp"

#include <algorithm>
#include <cmath>

namespace orrery::gui {
namespace {

constexpr int kLeastLabel = 22;  ///< px

QRgb mix(QRgb a, QRgb b, int percentOfA) {
    const auto part = [percentOfA](int x, int y) { return (x * percentOfA + y * (100 - percentOfA)) / 100; };
    return qRgb(part(qRed(a), qRed(b)), part(qGreen(a), qGreen(b)), part(qBlue(a), qBlue(b)));
}

bool isInk(Pattern pattern, int x, int y) {
    switch (pattern) {
        case Pattern::up:
            return ((x + y) & 7) == 0;
        case Pattern::down:
            return ((x - y) & 7) == 0;
        case Pattern::cross:
            return ((x + y) & 7) == 0 || ((x - y) & 7) == 0;
        case Pattern::flat:
            return (y & 3) == 0;
        case Pattern::dots:
            return (x & 3) == 0 && (y & 3) == 0;
        case Pattern::dotted:
            return (x % 5) == 0 && (y % 5) == 0;
        case Pattern::solid:
            return false;
    }
    return false;
}

QRgb* line(QImage& image, int y) {
    return reinterpret_cast<QRgb*>(image.scanLine(y));
}

struct PatternArea {
    int from = 0, to = 0;
    QRgb ground = 0, ink = 0;
    Pattern pattern = Pattern::solid;
};

/// Draws one row of the scene.
class RowPainter {
  public:
    RowPainter(QImage& image, const Scene& scene, const View& view, const Palette& palette, const SpanFilter& filter,
               std::vector<LabelPlace>& labels, std::size_t mostLabels)
        : image_(image),
          scene_(scene),
          view_(view),
          palette_(palette),
          filter_(filter),
          labels_(labels),
          mostLabels_(mostLabels) {}

    void paint(const SceneRow& row) {
        const SceneSide& side = scene_.side(row.side);
        const int width = image_.width();
        const int top = px(row.y - view_.top);
        const int bottom = px(row.y + row.height - view_.top);
        const QRgb ground = row.side == Side::predicted ? palette_.predictedGround : palette_.ground;
        fillPattern(image_, 0, top, width, bottom, ground, ground, Pattern::solid);
        line_.assign(static_cast<std::size_t>(width), ground);
        patterns_.clear();
        const double nsPerPixel = (view_.to - view_.from) / width;
        const auto offset = side.offset;
        side.data.index->visible(row.index, static_cast<std::int64_t>(std::floor(view_.from)) - offset,
                                 static_cast<std::int64_t>(std::ceil(view_.to)) - offset,
                                 static_cast<std::int64_t>(nsPerPixel), spans_);
        for (const auto& span : spans_) {
            const double left = view_.x(static_cast<double>(span.start + offset), width);
            const double right = view_.x(static_cast<double>(span.end + offset), width);
            paintSpan(row, side, span, std::clamp(left, -2.0, width + 2.0), std::clamp(right, -2.0, width + 2.0));
        }
        // One line of pixels is copied down the row: a column a span would touch every line of the image.
        for (int y = std::max(top + 1, 0); y < std::min(bottom - 1, image_.height()); ++y) {
            std::copy(line_.begin(), line_.end(), line(image_, y));
        }
        for (const auto& area : patterns_) {
            fillPattern(image_, area.from, top + 1, area.to, bottom - 1, area.ground, area.ink, area.pattern);
        }
    }

  private:
    [[nodiscard]] int px(int logical) const { return static_cast<int>(std::lround(logical * view_.scale)); }

    void paintSpan(const SceneRow& row, const SceneSide& side, const VisibleSpan& span, double left, double right) {
        const int x0 = static_cast<int>(std::floor(left));
        int x1 = std::max(static_cast<int>(std::floor(right)), x0 + 1);
        const bool gap = x1 - x0 >= 4;  // neighbours are told apart by one pixel of ground
        if (gap) --x1;
        QRgb colour = palette_.fill(row.lane, span.phase, span.cls);
        QRgb ink = palette_.hatchLine;
        Pattern pattern = Pattern::solid;
        if (span.phase == Phase::wait) {
            colour = palette_.hatchGround;
            pattern = static_cast<Pattern>(side.patterns[side.data.timeline->span(span.source).name]);
        } else if (isCollective(span.cls) || row.lane == Lane::comm) {
            pattern = Pattern::dotted;
            ink = mix(0xffffffff, colour, 70);
        }
        if (filter_.active() &&
            !filter_.matches(row.side, *side.data.timeline, side.data.timeline->span(span.source))) {
            colour = mix(colour, palette_.ground, 18);
            ink = mix(ink, palette_.ground, 18);
        }
        if (pattern != Pattern::solid && x1 - x0 >= 3) {
            patterns_.push_back({x0, x1, colour, ink, pattern});
        } else {
            const int width = image_.width();
            std::fill(line_.begin() + std::clamp(x0, 0, width), line_.begin() + std::clamp(x1, 0, width), colour);
        }
        if (span.merged == 1 && row.height >= Scene::kRowHeight && labels_.size() < mostLabels_) {
            const int from = static_cast<int>(std::max(left, 0.0) / view_.scale);
            const int to = static_cast<int>(std::min<double>(right, image_.width()) / view_.scale);
            if (to - from >= kLeastLabel) {
                labels_.push_back(
                    {QRect(from, row.y - view_.top, to - from, row.height), row.side, span.source, colour});
            }
        }
    }

    QImage& image_;
    const Scene& scene_;
    const View& view_;
    const Palette& palette_;
    const SpanFilter& filter_;
    std::vector<LabelPlace>& labels_;
    std::size_t mostLabels_;
    std::vector<VisibleSpan> spans_;
    std::vector<QRgb> line_;  ///< the row's solid spans, one pixel high
    std::vector<PatternArea> patterns_;
};

}  // namespace

void fillPattern(QImage& image, int left, int top, int right, int bottom, QRgb ground, QRgb ink, Pattern pattern) {
    left = std::max(left, 0);
    top = std::max(top, 0);
    right = std::min(right, image.width());
    bottom = std::min(bottom, image.height());
    if (left >= right) return;
    for (int y = top; y < bottom; ++y) {
        QRgb* pixels = line(image, y);
        std::fill(pixels + left, pixels + right, ground);
        if (pattern == Pattern::solid) continue;
        for (int x = left; x < right; ++x) {
            if (isInk(pattern, x, y)) pixels[x] = ink;
        }
    }
}

void paintSpans(QImage& image, const Scene& scene, const View& view, const Palette& palette, const SpanFilter& filter,
                std::vector<LabelPlace>& labels, std::size_t mostLabels) {
    labels.clear();
    image.fill(palette.ground);
    if (image.isNull() || !(view.to > view.from)) return;
    RowPainter painter(image, scene, view, palette, filter, labels, mostLabels);
    const int shown = static_cast<int>(image.height() / view.scale) + 1;
    for (const auto& row : scene.rows()) {
        if (row.y + row.height <= view.top) continue;
        if (row.y >= view.top + shown) break;
        const int top = static_cast<int>(std::lround((row.y - view.top) * view.scale));
        const int bottom = static_cast<int>(std::lround((row.y + row.height - view.top) * view.scale));
        if (row.header) {
            fillPattern(image, 0, top, image.width(), bottom, palette.panel, palette.panel, Pattern::solid);
            fillPattern(image, 0, top, image.width(), top + 1, palette.line, palette.line, Pattern::solid);
        } else {
            painter.paint(row);
        }
    }
}

}  // namespace orrery::gui
