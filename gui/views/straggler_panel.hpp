// Stragglers of a measured job: who makes the others wait, how much an even job would win, and what-if sliders.
#pragma once

#include <QWidget>

namespace orrery::gui {

class Session;

[[nodiscard]] QWidget* makeStragglerPanel(Session& session);

}  // namespace orrery::gui
