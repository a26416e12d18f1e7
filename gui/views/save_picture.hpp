// Any chart as a file or on the clipboard: what its context menu offers.
#pragma once

#include <QString>

class QWidget;

namespace orrery::gui {

/// Draws the widget as it is shown into a .png or .svg, written beside and renamed. Throws InputError: another suffix,
/// or a place that cannot be written.
void savePicture(QWidget& widget, const QString& file);

/// Gives the widget a context menu: save as PNG, save as SVG, copy. `name` is the suggested file name.
void addPictureMenu(QWidget& widget, const QString& name);

}  // namespace orrery::gui
