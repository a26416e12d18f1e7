// Pictures of every view of a job, for the documentation and for looking at them.
#pragma once

#include <QStringList>

namespace orrery::gui {

/// Opens `files` as one job and writes FOLDER/<view>.png of each view, and start.png. Returns the exit code. Throws
/// InputError when the job cannot be opened or the folder cannot be written.
int writeScreenshots(const QStringList& files, const QString& folder);

/// Dark colours for the whole app.
void useDarkColours();

}  // namespace orrery::gui
