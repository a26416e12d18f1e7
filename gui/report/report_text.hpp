// The report of a job as rich text for the preview and the PDF.
#pragma once

#include <QString>

#include "gui/session/job.hpp"

namespace orrery::gui {

/// Title, facts, headline figures, where the time went, memory, losses and warnings. `withPicture` refers to an image
/// "timeline" that the document must be given.
[[nodiscard]] QString reportText(const Job& job, bool withPicture);

}  // namespace orrery::gui
