#include "gui/style/texts.hpp"

#include <QLocale>
#include <array>
#include <cmath>

#include "report/table/comparison_table.hpp"

namespace orrery::gui {
namespace {

struct Unit {
    double size;
    const char* name;
};

}  // namespace

QString durationText(std::int64_t ns) {
    return QString::fromStdString(timeText(fromNanoseconds(ns)));
}

QString axisText(std::int64_t ns, std::int64_t tick) {
    static constexpr std::array<Unit, 4> kUnits = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1.0, "ns"}}};
    const double magnitude = std::max<double>(std::abs(static_cast<double>(ns)), static_cast<double>(tick));
    for (const auto& unit : kUnits) {
        if (magnitude < unit.size) continue;
        const double step = static_cast<double>(tick) / unit.size;
        const int digits = step >= 1.0 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
        return QStringLiteral("%1 %2").arg(static_cast<double>(ns) / unit.size, 0, 'f', digits).arg(text(unit.name));
    }
    return QStringLiteral("0");
}

QString bytesText(Bytes bytes) {
    static constexpr std::array<Unit, 5> kUnits = {
        {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1.0, "B"}}};
    for (const auto& unit : kUnits) {
        const double value = bytes.value() / unit.size;
        if (std::abs(value) < 1.0) continue;
        return QStringLiteral("%1 %2").arg(value, 0, 'f', value < 100.0 && unit.size > 1.0 ? 1 : 0).arg(unit.name);
    }
    return QStringLiteral("0 B");
}

QString shareText(double fraction) {
    return QStringLiteral("%1 %").arg(100.0 * fraction, 0, 'f', 1);
}

QString countText(std::int64_t count) {
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(count));
}

QString spanLabel(const Timeline& timeline, const Span& span) {
    if (span.phase == Phase::wait) {
        constexpr std::string_view kPrefix = "wait: ";
        const auto name = timeline.names.text(span.name);
        return text(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
    }
    if (timeline.tracks[span.track].lane != Lane::task || span.microBatch < 0)
        return text(timeline.names.text(span.name));
    switch (span.phase) {
        case Phase::forward:
            return QStringLiteral("F%1").arg(span.microBatch);
        case Phase::backward:
            return QStringLiteral("B%1").arg(span.microBatch);
        case Phase::backwardWeight:
            return QStringLiteral("W%1").arg(span.microBatch);
        case Phase::recompute:
            return QStringLiteral("R%1").arg(span.microBatch);
        default:
            return text(timeline.names.text(span.name));
    }
}

}  // namespace orrery::gui
