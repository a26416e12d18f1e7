// The same documents under every packing policy: what a step takes, where it is uneven, and what that costs.
#pragma once

#include <QWidget>

namespace orrery::gui {

class Session;

[[nodiscard]] QWidget* makePackingPanel(Session& session);

}  // namespace orrery::gui
