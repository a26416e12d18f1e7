// Paints the spans of the visible rows into an image, pixel by pixel: no text, no widget, the same on every machine.
#pragma once

#include <QImage>
#include <QRect>
#include <vector>

#include "gui/style/palette.hpp"
#include "gui/timeline/scene.hpp"
#include "gui/timeline/span_filter.hpp"

namespace orrery::gui {

/// The part of the scene that is looked at: `from`..`to` ns over the width, `top` px down.
struct View {
    double from = 0.0, to = 1.0;
    int top = 0;
    double scale = 1.0;  ///< device pixels per device-independent one

    [[nodiscard]] double x(double time, int width) const { return (time - from) / (to - from) * width; }
    [[nodiscard]] double time(double x, int width) const { return from + (to - from) * x / width; }
};

/// A span that is wide enough for a label; rectangle in device-independent pixels.
struct LabelPlace {
    QRect box;
    Side side = Side::measured;
    std::uint32_t row = 0;
    QRgb ground = 0;
};

/// Draws into `image` (Format_RGB32, any size) and reports up to `mostLabels` places for labels.
void paintSpans(QImage& image, const Scene& scene, const View& view, const Palette& palette, const SpanFilter& filter,
                std::vector<LabelPlace>& labels, std::size_t mostLabels = 600);

/// Fills a rectangle with a colour and, for patterns, lines or dots over it. Clips to the image.
void fillPattern(QImage& image, int left, int top, int right, int bottom, QRgb ground, QRgb line, Pattern pattern);

}  // namespace orrery::gui
