// Colours and patterns of everything that is drawn. Okabe and Ito's palette (jfly.uni-koeln.de/color): told apart with
// every kind of colour vision; waits and communication have patterns too. The HTML report uses the same.
#pragma once

#include <QColor>
#include <array>
#include <cstdint>
#include <string_view>

#include "model/compare/step_shares.hpp"
#include "model/timeline/timeline.hpp"

class QPalette;

namespace orrery::gui {

/// How an area is filled beside its colour. Waits: by cause; communication: dotted.
enum class Pattern : std::uint8_t { solid, up, down, cross, flat, dots, dotted };

/// Pattern of a wait by its name ("wait: warm-up").
[[nodiscard]] Pattern waitPattern(std::string_view name);

struct Palette {
    bool dark = false;
    QRgb ground, panel, line, text, muted, accent, predictedGround, hatchGround, hatchLine, over, under, mark;
    std::array<QRgb, kPhases> phases;
    std::array<QRgb, kOpClasses + 1> classes;  ///< the last is waiting

    /// Tasks have the colour of their phase, everything below the colour of its class.
    [[nodiscard]] QRgb fill(Lane lane, Phase phase, OpClass cls) const;
};

[[nodiscard]] const Palette& lightPalette();
[[nodiscard]] const Palette& darkPalette();
/// The one that suits the window's own colours.
[[nodiscard]] const Palette& paletteFor(const QPalette& system);

/// Text that can be read on `ground`.
[[nodiscard]] QRgb textOn(QRgb ground);

/// Colours of chart series in order.
[[nodiscard]] QColor seriesColour(int index);

}  // namespace orrery::gui
