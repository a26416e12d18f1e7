// Figures as people read them. Times come from report/; these are the rest.
#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/timeline/timeline.hpp"
#include "model/units/quantity.hpp"

namespace orrery::gui {

[[nodiscard]] inline QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}
/// "12.34 ms"
[[nodiscard]] QString durationText(std::int64_t ns);
/// A time on an axis with ticks `tick` ns apart: as many digits as they need.
[[nodiscard]] QString axisText(std::int64_t ns, std::int64_t tick);
/// "1.5 GiB"
[[nodiscard]] QString bytesText(Bytes bytes);
/// "12.3 %"
[[nodiscard]] QString shareText(double fraction);
/// "12,345"
[[nodiscard]] QString countText(std::int64_t count);
/// What fits into a box on the timeline: "F3" for the forward pass of micro-batch 3, otherwise the name.
[[nodiscard]] QString spanLabel(const Timeline& timeline, const Span& span);

}  // namespace orrery::gui
