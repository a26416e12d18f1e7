// The views beside the timeline. Each is a widget on the shared session; what they show comes from the job.
#pragma once

#include <QString>

class QWidget;

namespace orrery::gui {

class Session;

[[nodiscard]] QWidget* makeCompareView(Session& session);
[[nodiscard]] QWidget* makePlanView(Session& session);
[[nodiscard]] QWidget* makeMemoryView(Session& session);
[[nodiscard]] QWidget* makeRooflineView(Session& session);
[[nodiscard]] QWidget* makeImbalanceView(Session& session);
[[nodiscard]] QWidget* makeReportView(Session& session);

/// Says what went wrong in the error bar of `from`'s window.
void showProblem(const QWidget* from, const QString& message);

/// Brings the dock of that name in `from`'s window to the front.
void raiseView(const QWidget* from, const QString& name);

}  // namespace orrery::gui
