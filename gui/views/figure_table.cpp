#include "gui/views/figure_table.hpp"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>

#include "gui/views/views.hpp"
#include "model/units/input_error.hpp"
#include "report/text/escape.hpp"
#include "report/text/write_file.hpp"

namespace orrery::gui {
namespace {

class FigureItem : public QTableWidgetItem {
  public:
    explicit FigureItem(const Cell& cell) : QTableWidgetItem(cell.text), value_(cell.value), isNumber_(cell.isNumber) {
        setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        if (isNumber_) setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    bool operator<(const QTableWidgetItem& other) const override {
        const auto* figure = dynamic_cast<const FigureItem*>(&other);
        if (figure != nullptr && isNumber_ && figure->isNumber_) return value_ < figure->value_;
        return QTableWidgetItem::operator<(other);
    }

  private:
    double value_;
    bool isNumber_;
};

}  // namespace

FigureTable::FigureTable(QWidget* parent) : QTableWidget(parent) {
    setSelectionBehavior(SelectRows);
    setEditTriggers(NoEditTriggers);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(24);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    setFrameShape(NoFrame);
}

void FigureTable::setFigures(const QStringList& headers, const std::vector<std::vector<Cell>>& rows) {
    setSortingEnabled(false);
    clear();
    setColumnCount(static_cast<int>(headers.size()));
    setRowCount(static_cast<int>(rows.size()));
    setHorizontalHeaderLabels(headers);
    for (int row = 0; row < rowCount(); ++row) {
        const auto& cells = rows[static_cast<std::size_t>(row)];
        for (int column = 0; column < columnCount() && column < static_cast<int>(cells.size()); ++column) {
            setItem(row, column, new FigureItem(cells[static_cast<std::size_t>(column)]));
        }
    }
    for (int column = 0; column < columnCount(); ++column) {
        if (rowCount() > 0 && (item(0, column)->textAlignment() & Qt::AlignRight) != 0) {
            horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        }
    }
    horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
    setSortingEnabled(true);
    resizeColumnsToContents();
    for (int column = 0; column < columnCount(); ++column) setColumnWidth(column, columnWidth(column) + 14);
}

std::vector<QStringList> FigureTable::lines(bool onlySelected) const {
    std::vector<QStringList> out(1);
    for (int column = 0; column < columnCount(); ++column) out[0].push_back(horizontalHeaderItem(column)->text());
    for (int row = 0; row < rowCount(); ++row) {
        if (onlySelected && item(row, 0) != nullptr && !item(row, 0)->isSelected()) continue;
        QStringList& fields = out.emplace_back();
        for (int column = 0; column < columnCount(); ++column)
            fields.push_back(item(row, column) == nullptr ? QString() : item(row, column)->text());
    }
    return out;
}

QString FigureTable::asText(QChar separator, bool onlySelected) const {
    QString out;
    for (QStringList fields : lines(onlySelected)) {
        if (separator == ',') {
            for (auto& field : fields) field = QString::fromStdString(csvField(field.toStdString()));
        }
        out += fields.join(separator) + '\n';
    }
    return out;
}

QString FigureTable::asMarkdown(bool onlySelected) const {
    QString out;
    bool isHeader = true;
    for (QStringList fields : lines(onlySelected)) {
        for (auto& field : fields) field.replace('|', "\\|");
        out += "| " + fields.join(" | ") + " |\n";
        if (isHeader) out += '|' + QStringLiteral("---|").repeated(columnCount()) + '\n';
        isHeader = false;
    }
    return out;
}

void FigureTable::saveCsv(const QString& file) const {
    writeFile(file.toStdString(), asText(',', false).toStdString());
}

void FigureTable::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    const bool some = !selectedItems().isEmpty();
    const auto copy = [](const QString& text) { QApplication::clipboard()->setText(text); };
    menu.addAction(some ? tr("Copy rows") : tr("Copy table"), this, [&] { copy(asText('\t', some)); });
    menu.addAction(tr("Copy as Markdown"), this, [&] { copy(asMarkdown(some)); });
    menu.addAction(tr("Save table as CSV…"), this, [this] {
        const QString file = QFileDialog::getSaveFileName(this, tr("Save table"), "table.csv");
        if (file.isEmpty()) return;
        try {
            saveCsv(file);
        } catch (const InputError& error) {
            showProblem(this, QString::fromUtf8(error.what()));
        }
    });
    menu.exec(event->globalPos());
}

void FigureTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(asText('\t', !selectedItems().isEmpty()));
        return;
    }
    QTableWidget::keyPressEvent(event);
}

}  // namespace orrery::gui
