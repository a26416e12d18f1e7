// Where the parts of the timeline view stand, in device-independent pixels.
#pragma once

namespace orrery::gui::view_layout {

inline constexpr int kGutter = 210;  ///< row names, left
inline constexpr int kRuler = 26;
inline constexpr int kStepBar = 34;
inline constexpr int kClick = 4;  ///< a press that moves less than this is a click

}  // namespace orrery::gui::view_layout
