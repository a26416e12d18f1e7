// What a slow GPU, a slow link or other document lengths would do to the predicted step: sliders on the open scenario.
#pragma once

#include <QWidget>

namespace orrery::gui {

class Session;

[[nodiscard]] QWidget* makeScenarioWhatIf(Session& session);

}  // namespace orrery::gui
