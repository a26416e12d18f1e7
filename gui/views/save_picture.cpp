#include "gui/views/save_picture.hpp"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QMenu>
#include <QPainter>
#include <QSvgGenerator>
#include <QWidget>

#include "gui/views/views.hpp"
#include "model/units/input_error.hpp"
#include "report/text/write_file.hpp"

namespace orrery::gui {
namespace {

QByteArray svgOf(QWidget& widget) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(widget.size());
    generator.setViewBox(QRect(QPoint(), widget.size()));
    generator.setTitle(widget.accessibleName());
    QPainter painter(&generator);
    widget.render(&painter);
    painter.end();
    return bytes;
}

QByteArray pngOf(QWidget& widget) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    widget.grab().save(&buffer, "PNG");
    return bytes;
}

void ask(QWidget& widget, const QString& name, const QString& suffix) {
    const QString file = QFileDialog::getSaveFileName(&widget, QObject::tr("Save picture"), name + '.' + suffix);
    if (file.isEmpty()) return;
    try {
        savePicture(widget, file);
    } catch (const InputError& error) {
        showProblem(&widget, QString::fromUtf8(error.what()));
    }
}

}  // namespace

void savePicture(QWidget& widget, const QString& file) {
    QByteArray bytes;
    if (file.endsWith(".svg", Qt::CaseInsensitive)) {
        bytes = svgOf(widget);
    } else if (file.endsWith(".png", Qt::CaseInsensitive)) {
        bytes = pngOf(widget);
    } else {
        throw InputError(file.toStdString() + ": pictures are written as .png or .svg");
    }
    writeFile(file.toStdString(), std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

void addPictureMenu(QWidget& widget, const QString& name) {
    widget.setContextMenuPolicy(Qt::CustomContextMenu);
    QWidget* of = &widget;
    QObject::connect(of, &QWidget::customContextMenuRequested, of, [of, name](const QPoint& at) {
        QMenu menu(of);
        menu.addAction(QObject::tr("Save as PNG…"), of, [of, name] { ask(*of, name, "png"); });
        menu.addAction(QObject::tr("Save as SVG…"), of, [of, name] { ask(*of, name, "svg"); });
        menu.addAction(QObject::tr("Copy picture"), of, [of] { QApplication::clipboard()->setPixmap(of->grab()); });
        menu.exec(of->mapToGlobal(at));
    });
}

}  // namespace orrery::gui
