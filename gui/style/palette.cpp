#include "gui/style/palette.hpp"

#include <QPalette>

namespace orrery::gui {
namespace {

Palette light() {
    Palette p{};
    p.ground = 0xffffffff, p.panel = 0xfff4f6f8, p.line = 0xffd5dae0, p.text = 0xff1b1f24, p.muted = 0xff5c6670;
    p.accent = 0xff0b5cad, p.predictedGround = 0xffeef4fb, p.hatchGround = 0xffe9ecf0, p.hatchLine = 0xff6b7480;
    p.over = 0xffa64b00, p.under = 0xff0b5cad, p.mark = 0xffb3261e;
    p.phases = {0xff0072b2, 0xffe69f00, 0xffd55e00, 0xffc9b800, 0xff009e73, 0xffcc79a7, 0xff9c4f7c,
                0xff7b61c9, 0xff4f8f8b, 0xffa0522d, 0xff56b4e9, 0xffe9ecf0, 0xffb8c0c8, 0xff9aa3ad};
    p.classes = {0xff0072b2, 0xff004f7c, 0xffe69f00, 0xff56b4e9, 0xffc9b800, 0xff44347d,
                 0xffd55e00, 0xff009e73, 0xffcc79a7, 0xff9c4f7c, 0xff7b61c9, 0xffa0522d,
                 0xff4f8f8b, 0xff56b4e9, 0xff6f7b87, 0xffc4cad1, 0xff9aa3ad, 0xffe9ecf0};
    return p;
}

Palette dark() {
    Palette p = light();
    p.dark = true;
    p.ground = 0xff14171b, p.panel = 0xff1d2126, p.line = 0xff343b43, p.text = 0xffe4e8ec, p.muted = 0xff9aa5b0;
    p.accent = 0xff6cb2f7, p.predictedGround = 0xff1a2230, p.hatchGround = 0xff262c33, p.hatchLine = 0xff7d8893;
    p.over = 0xfff0a35e, p.under = 0xff6cb2f7, p.mark = 0xffff8d73;
    p.phases[static_cast<std::size_t>(Phase::forward)] = 0xff2f8fcb;
    p.phases[static_cast<std::size_t>(Phase::wait)] = p.hatchGround;
    p.phases[static_cast<std::size_t>(Phase::step)] = 0xff4a535c;
    p.phases[static_cast<std::size_t>(Phase::other)] = 0xff69737d;
    p.classes[static_cast<std::size_t>(OpClass::gemm)] = 0xff2f8fcb;
    p.classes[static_cast<std::size_t>(OpClass::groupedGemm)] = 0xff5573a8;
    p.classes[static_cast<std::size_t>(OpClass::embedding)] = 0xff8f7fd6;
    p.classes[static_cast<std::size_t>(OpClass::copy)] = 0xff8994a0;
    p.classes[static_cast<std::size_t>(OpClass::host)] = 0xff4a535c;
    p.classes[static_cast<std::size_t>(OpClass::other)] = 0xff69737d;
    p.classes[kWaitClass] = p.hatchGround;
    return p;
}

}  // namespace

Pattern waitPattern(std::string_view name) {
    if (name.ends_with("cool-down")) return Pattern::down;
    if (name.ends_with("steady")) return Pattern::cross;
    if (name.ends_with("step end")) return Pattern::flat;
    if (name.ends_with("peer")) return Pattern::dots;
    return Pattern::up;
}

QRgb Palette::fill(Lane lane, Phase phase, OpClass cls) const {
    const bool byClass = lane == Lane::op || lane == Lane::kernel || phase == Phase::other;
    return byClass ? classes[static_cast<std::size_t>(cls)] : phases[static_cast<std::size_t>(phase)];
}

const Palette& lightPalette() {
    static const Palette palette = light();
    return palette;
}

const Palette& darkPalette() {
    static const Palette palette = dark();
    return palette;
}

const Palette& paletteFor(const QPalette& system) {
    return system.color(QPalette::Window).lightness() < 128 ? darkPalette() : lightPalette();
}

QRgb textOn(QRgb ground) {
    return qGray(ground) > 130 ? 0xff14171b : 0xffffffff;
}

QColor seriesColour(int index) {
    static constexpr std::array<QRgb, 7> kColours = {0xff0072b2, 0xffe69f00, 0xff009e73, 0xffcc79a7,
                                                     0xff56b4e9, 0xffd55e00, 0xff7b61c9};
    return QColor::fromRgb(kColours[static_cast<std::size_t>(index) % kColours.size()]);
}

}  // namespace orrery::gui
